-- Which metric values did the controller publish?
-- One row per entry of currentMetrics of a published status; metric_type is empty where the metric was invalid.
-- Columns:
--   observed_at: when the status was seen
--   metric_idx: place, from 0
--   metric_type: empty where the metric was invalid
--   metric_name: of the resource or the metric
--   container: of a ContainerResource
--   avg_utilization: in percent
--   avg_value_milli: averageValue
--   value_milli: value
create table runs.hpa_status_metrics (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    observed_at timestamp,
    metric_idx integer,
    metric_type varchar,
    metric_name varchar,
    container varchar,
    avg_utilization integer,
    avg_value_milli bigint,
    value_milli bigint
);
