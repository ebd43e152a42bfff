-- How was each replay run, and on which recording?
-- One row per replay. mode: what it is; detail: what is kept of a reconcile, from numbers over moved, steps
-- and pods to all; options: that narrowed or changed it, empty: the whole recording, as it was recorded.
create table runs.replays (
    replay_id varchar,
    recording_id varchar,
    path varchar,
    manifest_sha256 varchar,
    mode varchar,
    release varchar,
    engine_version varchar,
    detail varchar,
    options varchar,
    ran_at timestamp
);
