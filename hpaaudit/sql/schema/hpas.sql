-- Which HPAs were recorded, and what do they scale?
-- One row per HPA. created_at: its creationTimestamp; target: of its last spec.
create table runs.hpas (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    api_version varchar,
    target_kind varchar,
    target_name varchar,
    created_at timestamp,
    seen_at timestamp,
    deleted_at timestamp
);
