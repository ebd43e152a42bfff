-- How far is the utilization that was replayed from the one that the controller published?
-- One row per HPA and resource metric with a target in percent.
-- Asked: Can I trust this?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   metric_name: the metric, as `metric_label` of `metric_proposals`
--   compared: reconciles after which the controller published a value
--   equal_pct: percent of them in which both are equal
--   p95_points: 95 percent differ by at most so many percentage points
--   max_points: the largest difference in percentage points
--   crossed_target: reconciles in which one value is above the target and the other is not
with published as (
    select hpa_uid, observed_at, metric_idx, any_value(avg_utilization) as avg_utilization
    from hpa_status_metrics
    where avg_utilization is not null
    group by hpa_uid, observed_at, metric_idx
), replayed as (
    select p.hpa_uid, p.namespace, p.name, p.metric_idx, p.metric_label as metric_name, p.ts, p.current_utilization, p.target,
        r.ts + to_microseconds((1e6 * r.lasted_s)::bigint) as until
    from metric_proposals as p
    join reconciles as r using (reconcile_id)
    where p.valid
        and p.target_type = 'Utilization'
        and p.current_utilization is not null
        and p.namespace || '/' || p.name like $hpa
        and p.ts between $since and $until
        and coalesce(r.class, '') not like 'not@_run.%' escape '@'
), pairs as (
    select a.*, s.avg_utilization as published, abs(a.current_utilization - s.avg_utilization) as points
    from replayed as a
    asof join published as s on s.hpa_uid = a.hpa_uid and s.metric_idx = a.metric_idx and a.ts <= s.observed_at
    where s.observed_at < a.until
)
select
    namespace, name, metric_name,
    count(*) as compared,
    percent_of(count(*) filter (points = 0), count(*)) as equal_pct,
    round(quantile_cont(points, 0.95), 1) as p95_points,
    max(points) as max_points,
    count(*) filter ((current_utilization > target) <> (published > target)) as crossed_target
from pairs
group by hpa_uid, namespace, name, metric_idx, metric_name
order by crossed_target desc, max_points desc, namespace, name, metric_name, metric_idx, hpa_uid;
