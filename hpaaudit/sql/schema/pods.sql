-- Which pods existed, who owned them, and how long did they live?
-- One row per pod. deleted_at is NULL if its end was not observed.
-- Columns:
--   pod_uid: its uid
--   namespace: where
--   name: of the pod
--   owner_kind: of its controller
--   owner_name: of its controller
--   created_at: as the API server says
--   seen_at: when it was first seen
--   ready_at: when it first was Ready
--   deleted_at: NULL where its end was not seen
--   phase: of the status, the last that was seen
--   cpu_request_milli: what its containers request, where the pod as a whole requests nothing; when it was first seen
--   memory_request_milli: likewise
--   without_cpu_request: containers without a request of cpu that a utilization needs
--   without_memory_request: likewise
create table runs.pods (
    replay_id varchar,
    pod_uid varchar,
    namespace varchar,
    name varchar,
    owner_kind varchar,
    owner_name varchar,
    created_at timestamp,
    seen_at timestamp,
    ready_at timestamp,
    deleted_at timestamp,
    phase varchar,
    cpu_request_milli bigint,
    memory_request_milli bigint,
    without_cpu_request varchar[],
    without_memory_request varchar[]
);
