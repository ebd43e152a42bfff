-- How was each replay run, and on which recording?
-- One row per replay. mode: what it is; detail: whether steps and pods of uneventful reconciles are kept.
create table runs.replays (
    replay_id varchar,
    recording_id varchar,
    path varchar,
    manifest_sha256 varchar,
    mode varchar,
    release varchar,
    engine_version varchar,
    detail varchar,
    ran_at timestamp
);
