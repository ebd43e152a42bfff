-- Which pods existed, who owned them, and how long did they live?
-- One row per pod. deleted_at is NULL if its end was not observed.
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
    deleted_at timestamp
);
