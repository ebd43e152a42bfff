-- When did the target's pod template change?
-- One row per change of the template's hash.
-- Columns:
--   started_at: when it was seen
--   revision: hash of the new template
--   replaced: hash of the old one
create table runs.rollouts (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    started_at timestamp,
    revision varchar,
    replaced varchar
);
