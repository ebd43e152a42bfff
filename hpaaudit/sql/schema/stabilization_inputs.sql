-- Which remembered recommendations changed a decision?
-- One row per remembered recommendation, for each reconcile whose number stabilization changed.
-- Columns:
--   reconcile_id: of `reconciles`
--   rec_at: when it was made
--   recommendation: replicas
--   decisive: whether this is the one that decided
create table runs.stabilization_inputs (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    rec_at timestamp,
    recommendation integer,
    decisive boolean
);
