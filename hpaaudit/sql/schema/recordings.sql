-- Which recording was replayed, what made it, and what does it cover?
-- One row per replay.
-- Columns:
--   recording_id: SHA-256 of its manifest
--   path: where it was
--   source: how it was made: `record`, `capture`
--   cluster: the API server, empty where unknown
--   started_at: from then on; of a replay with `--since` what is shown
--   ended_at: until then; of a replay with `--until` what is shown
--   k8s_version: as the API server says, at last
--   k8s_version_changes: each other version that it said than at first, and when it first did (at_us)
--   recorder_version: of hpaaudit that made it
--   format_version: of its files
--   clock_offset_ms: API server minus recorder, as it was measured, or as published times tell; NULL where nothing tells
create table runs.recordings (
    replay_id varchar,
    recording_id varchar,
    path varchar,
    source varchar,
    cluster varchar,
    started_at timestamp,
    ended_at timestamp,
    k8s_version varchar,
    k8s_version_changes json,
    recorder_version varchar,
    format_version integer,
    clock_offset_ms double
);
