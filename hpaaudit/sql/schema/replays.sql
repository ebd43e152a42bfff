-- How was each replay run, and on which recording?
-- One row per replay. mode: audit or what_if; detail: how much is kept of a reconcile: numbers, moved, steps, pods or
-- all; options: those that narrowed or changed the replay, empty if none did.
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
