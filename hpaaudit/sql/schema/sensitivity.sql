-- Which other value of a setting explains what the replay could not?
-- One row per HPA with such a value; several if it is not known which of them it was. key restart, lease: not a setting, but
-- what the controller remembered. differing: reconciles that were unexplained; explained: those that agree with the other
-- value; broken: those that agreed and would not with the other value; divergence_ids: what is explained as a whole; also_…: a
-- second setting, if only both together explain it.
create table runs.sensitivity (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    key varchar,
    value varchar,
    alternative varchar,
    differing bigint,
    explained bigint,
    broken bigint,
    divergence_ids bigint[],
    also_key varchar,
    also_value varchar,
    also_alternative varchar
);
