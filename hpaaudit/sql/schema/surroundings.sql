-- What held pods back, or changed them?
-- One row per observed change of a quota, limits, a VPA, a node or a rule of admission, or its end.
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
