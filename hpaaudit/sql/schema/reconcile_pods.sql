-- How did each metric count each pod?
-- One row per pod of a metric of a reconcile. Kept for reconciles that scaled or did not match; for all with --detail
-- pods, for none with numbers.
-- Columns:
--   reconcile_id: of `reconciles`
--   metric_idx: of `metric_proposals`
--   pod: name
--   pod_uid: of `pods`
--   bucket: `ready`, `unready`, `missing` or `ignored`
--   why_code: why it is in there
--   value_milli: what was used, measured or filled in
--   request_milli: what the pod requests; NULL where that does not matter
create table runs.reconcile_pods (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    metric_idx integer,
    pod varchar,
    pod_uid varchar,
    bucket varchar,
    why_code varchar,
    value_milli bigint,
    request_milli bigint
);
