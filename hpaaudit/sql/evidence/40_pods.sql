-- How many pods did each metric count in which way, and why? Kept of a reconcile that scaled
-- or did not match; of all with --detail pods, of none with --detail numbers.
-- One row per metric, bucket and cause.
select reconcile_id, metric_idx, bucket, why_code, count(*) as pods
from reconcile_pods
where reconcile_id in ($reconcile_ids)
group by reconcile_id, metric_idx, bucket, why_code
order by reconcile_id, metric_idx, bucket, why_code;
