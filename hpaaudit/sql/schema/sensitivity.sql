-- Which other value of a setting explains what the replay could not?
-- One row per HPA with such a value; several if it is not known which of them it was. also_…, third_…: further settings,
-- if only all together explain it.
-- Columns:
--   key: the flag without its common prefix, `feature-gate`, `rule` or `release`; `restart` and `lease` are no settings, but when the controller lost its memory; `reconcile`: inferred reconciles that may not have taken place
--   value: that the replay used
--   alternative: that explains the reconciles
--   differing: how many were unexplained
--   explained: how many of them agree with the alternative
--   broken: how many that agreed would not any more
--   divergence_ids: the divergences that it explains
--   also_key: a second setting, if only several together explain the reconciles; else NULL
--   also_value: what the replay used of it
--   also_alternative: its value that explains the reconciles
--   is_recorded: the value that the replay used was recorded, and too few reconciles speak against it: they stay unexplained
--   is_what_if: the user asked for the value, and the alternative is that of the audit: what differs says nothing of the controller
--   third_key: a third setting, if only three together explain the reconciles; else NULL
--   third_value: what the replay used of it
--   third_alternative: its value that explains the reconciles
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
    also_alternative varchar,
    is_recorded boolean,
    is_what_if boolean,
    third_key varchar,
    third_value varchar,
    third_alternative varchar
);
