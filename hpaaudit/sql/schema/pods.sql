-- Which pods were there, whose were they, and how long?
-- One row per pod. deleted_at is NULL where its end was not seen.
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
