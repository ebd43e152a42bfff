-- What did the controller publish, and when?
-- One row per change of an HPA's status. A condition that it lacks is NULL.
-- Columns:
--   observed_at: when it was observed
--   resource_version: of the HPA with it
--   current_replicas: of the status
--   desired_replicas: of the status
--   last_scale_time: of the status
--   observed_generation: of the status
--   able_status: of the condition AbleToScale, NULL without one
--   able_reason: its reason
--   active_status: of ScalingActive
--   active_reason: its reason
--   limited_status: of ScalingLimited
--   limited_reason: its reason
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
