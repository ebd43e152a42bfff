-- What were the states of KEDA's ScaledObjects?
-- One row per observed change or deletion of a ScaledObject.
-- Columns:
--   observed_at: when it was observed
--   namespace: where
--   name: of the ScaledObject
--   gone: it was deleted; all that follows is NULL
--   generation: of its spec
--   target_kind: of what it scales
--   target_name: of what it scales
--   hpa_name: the HPA that it made, empty while there is none
--   min_replicas: `minReplicaCount`; NULL where it does not say
--   max_replicas: `maxReplicaCount`; NULL where it does not say
--   idle_replicas: `idleReplicaCount`; NULL where it does not say
--   fallback_replicas: replicas when its triggers fail; NULL where it does not say
--   ready: `True`, `False` or `Unknown`, empty without that condition
--   active: likewise: whether a trigger asks for more than nothing
--   fallback: likewise: whether its triggers fail
--   paused: likewise
--   triggers: JSON: of each `type`, `name`, `metricType`, `useCachedMetrics`
--   annotations: JSON: those that are KEDA's own
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
