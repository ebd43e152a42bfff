-- Which inferred reconciles did not take place, although they were due?
-- One row per reconcile. class: as in runs.reconciles; renewed_at: the last renewal of the Lease, if it ran out.
create temp table not_run (
    reconcile_id bigint,
    class varchar,
    renewed_at timestamp
);
