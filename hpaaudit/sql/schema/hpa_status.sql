-- What did the controller publish, and when?
-- One row per change of an HPA's status. A condition that it lacks is NULL.
create table runs.hpa_status (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    observed_at timestamp,
    resource_version varchar,
    current_replicas integer,
    desired_replicas integer,
    last_scale_time timestamp,
    observed_generation bigint,
    able_status varchar,
    able_reason varchar,
    active_status varchar,
    active_reason varchar,
    limited_status varchar,
    limited_reason varchar
);
