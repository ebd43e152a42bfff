-- Which settings of the controller did the replay use, and where do they come from?
-- One row per setting.
-- Columns:
--   key: the flag without its common prefix, `release`, or `api-server` (the address in the controller's error texts)
--   value: that the replay used
--   source: `observed`, `inferred`, `user`, `declared` or `default`
--   in_place_of: of a setting that makes the replay a what-if: the value that the audit of the recording has; else NULL
create table runs.assumptions (
    replay_id varchar,
    key varchar,
    value varchar,
    source varchar,
    in_place_of varchar
);
