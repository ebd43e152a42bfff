-- Which predicted change of spec.replicas belongs to which actual change?
-- One row per pair, or per change without a counterpart.
-- Columns:
--   scale_event_id: of `scale_events`: of the actual one, else of the predicted one; in the order of time in an HPA
--   reconcile_id: of `reconciles`
--   predicted_at: when it should have happened
--   actual_at_lo: it happened after this
--   actual_at_hi: and not after this
--   from_replicas: before the actual one, else before the predicted one
--   predicted_to: what it should have become
--   actual_to: what it became
--   lag_s: seconds from prediction to deed
--   shape: `match`, `timing` (the same change, another reconcile), `size`, `direction`, `phantom` (not predicted) or `missing` (did not happen)
--   verdict: `match`, `skew` or `divergent`; `undecidable` if nobody looked at the target afterwards
--   writer_class: of the actual one, as in `scale_events`
--   writer_name: of the actual one
--   evidence_level: of the actual one
create table runs.scale_event_matches (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    scale_event_id bigint,
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
