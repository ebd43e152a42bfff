-- Which pods did each metric count in which way, and with which usage? Kept of a reconcile that scaled
-- or did not match; of all with --detail pods, of none with --detail numbers.
-- One row per metric and pod.
select reconcile_id, metric_idx, bucket, why_code, pod, value_milli, request_milli
from reconcile_pods
where reconcile_id in ($reconcile_ids)
order by reconcile_id, metric_idx, bucket, pod;
