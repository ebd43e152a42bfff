-- Which pods did each metric count in which way, and with which usage? Not stored with --detail numbers.
-- One row per metric and pod.
select metric_idx, bucket, why_code, pod, value_milli, request_milli
from reconcile_pods
where reconcile_id = $reconcile_id
order by metric_idx, bucket, pod;
