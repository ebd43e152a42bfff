-- Which old recommendations moved a decision?
-- One row per remembered recommendation of a reconcile whose stabilization changed its number.
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
