-- Which predicted change of spec.replicas belongs to which actual change?
-- One row per pair, or per change without a counterpart. shape: match; timing (same change, other reconcile), size,
-- direction; phantom (happened, not predicted), missing (predicted, did not happen). from_replicas: of the actual change,
-- if there is one.
create table runs.scale_event_matches (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    predicted_at timestamp,
    actual_at_lo timestamp,
    actual_at_hi timestamp,
    from_replicas integer,
    predicted_to integer,
    actual_to integer,
    lag_s double,
    shape varchar,
    verdict varchar,
    writer_class varchar,
    writer_name varchar,
    evidence_level varchar
);
