-- How was each replay run, and on which recording?
-- One row per replay.
-- Columns:
--   recording_id: SHA-256 of the recording's manifest
--   path: where the recording was
--   manifest_sha256: the same hash, by its plain name
--   mode: `audit`, or `what_if` if an option narrowed or changed it
--   release: of Kubernetes as which it decides; of several controller processes the first one's: `controller_epochs` has that of each
--   engine_version: of hpaaudit that replayed
--   detail: what is kept of a reconcile: `numbers`, `moved`, `steps`, `pods` or `all`
--   options: that narrowed or changed it, as a command has them; empty: the whole recording, as it was recorded
--   ran_at: when
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
