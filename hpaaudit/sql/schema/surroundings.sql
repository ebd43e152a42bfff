-- What kept pods from starting, or changed them?
-- One row per observed change or deletion of a ResourceQuota, LimitRange, VPA, node or admission rule.
-- Columns:
--   observed_at: when it was observed
--   api_group: of the object, empty for the core group
--   resource: `resourcequotas`, `limitranges`, `verticalpodautoscalers`, `nodes`, or of admission: webhook configurations and policies
--   namespace: where, empty for an object of the cluster
--   name: of the object
--   gone: it was deleted, or says nothing of that any more
--   state: JSON: what is hard and used, the limits, what is recommended, whether a node is ready and what it can take, the rules
create table runs.surroundings (
    replay_id varchar,
    observed_at timestamp,
    api_group varchar,
    resource varchar,
    namespace varchar,
    name varchar,
    gone boolean,
    state varchar
);
