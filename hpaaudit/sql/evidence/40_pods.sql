-- How many pods did each metric count in which way, and why? Not stored with --detail numbers.
-- One row per metric, bucket and cause.
select metric_idx, bucket, why_code, count(*) as pods
from reconcile_pods
where reconcile_id = $reconcile_id
group by metric_idx, bucket, why_code
order by metric_idx, bucket, why_code;
