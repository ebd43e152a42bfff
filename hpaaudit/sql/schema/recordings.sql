-- Which recording was replayed, what made it, and what does it cover?
-- One row per replay. recording_id: the SHA-256 of its manifest.
create table runs.recordings (
    replay_id varchar,
    recording_id varchar,
    path varchar,
    source varchar,
    cluster varchar,
    started_at timestamp,
    ended_at timestamp,
    k8s_version varchar,
    recorder_version varchar,
    format_version integer,
    clock_offset_ms double
);
