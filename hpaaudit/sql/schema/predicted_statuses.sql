-- Which status would the controller have written?
-- One row per change of it.
-- Columns:
--   reconcile_id: of `reconciles`
--   ts: when that had decided
--   status: as the API would show it
--   custom_metrics: the annotation in which the controllers of 1.2 to 1.5 published custom metrics; NULL without one
create table runs.predicted_statuses (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    ts timestamp,
    status json,
    custom_metrics varchar
);
