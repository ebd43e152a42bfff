-- Which remembered recommendations changed a decision?
-- One row per remembered recommendation, for each reconcile whose number stabilization changed.
-- decisive: the newest one that equals the stabilized number.
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
