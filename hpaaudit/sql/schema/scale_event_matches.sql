-- Which predicted change of spec.replicas is which actual one?
-- One row per pair or leftover. shape: match; timing (same change, another reconcile), size, direction;
-- phantom (happened, not predicted), missing (predicted, did not happen). from_replicas: of the actual one, if any.
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
