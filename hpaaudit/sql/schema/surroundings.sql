-- What kept pods from starting, or changed them?
-- One row per observed change or deletion of a ResourceQuota, LimitRange, VPA, node or admission rule.
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
