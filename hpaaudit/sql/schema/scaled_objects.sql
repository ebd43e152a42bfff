-- What were the states of KEDA's ScaledObjects?
-- One row per observed change or deletion of a ScaledObject.
create table runs.scaled_objects (
    replay_id varchar,
    observed_at timestamp,
    namespace varchar,
    name varchar,
    gone boolean,
    generation bigint,
    target_kind varchar,
    target_name varchar,
    hpa_name varchar,
    min_replicas bigint,
    max_replicas bigint,
    idle_replicas bigint,
    fallback_replicas bigint,
    ready varchar,
    active varchar,
    fallback varchar,
    paused varchar,
    triggers varchar,
    annotations varchar
);
