-- What kept an HPA from scaling down although its metrics asked for less, and how many pods did that keep?
-- One row per HPA, reason and metric.
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reason_code: what held the scale-down
--   metric_name: the metric that was unusable, as `metric_label` of `metric_proposals`; empty if none was
--   reconciles: in how many reconciles
--   minutes: how long these lasted together, each until the next one or until somebody else wrote
--   minutes_memory_too: of a metric that failed: in how many of these an earlier recommendation held it too, or may have
--   pods_kept: the most pods that were kept; NULL where pods were not measured, so that nobody knows how many were too many
--   pod_seconds_kept: pods that were kept, times the seconds
--   first_at: the first of them
--   last_at: the last of them
with asked as (
    select
        reconcile_id,
        max(proposal) filter (valid) as best,
        coalesce(arg_min(metric_label, metric_idx) filter (not valid), '') as metric_name
    from metric_proposals
    where namespace || '/' || name like $hpa
        and ts between $since and $until
    group by reconcile_id
    having best is not null
), unmeasured as (
    -- Pods without a sample count as busy. The number that the others ask for is no number for all of them.
    select p.reconcile_id
    from metric_proposals as p
    join reconciles as r using (reconcile_id)
    where p.is_winner
        and p.missing_pods > 0
        and p.ratio < 1 - p.tolerance
        and r.reason_code in ('adjust.damped_into_tolerance', 'adjust.direction_flip_hold')
        and r.desired > r.min_replicas
        and p.namespace || '/' || p.name like $hpa
        and p.ts between $since and $until
)
select
    r.namespace, r.name, r.reason_code, a.metric_name,
    count(*) as reconciles,
    round(sum(coalesce(w.stood_s, r.lasted_s)) / 60, 1) as minutes,
    round(sum(coalesce(w.stood_s, r.lasted_s)) filter (
        not m.is_whole or m.replicas >= r.desired
    ) / 60, 1) as minutes_memory_too,
    max(
        spare_pods(r.desired, greatest(a.best, r.min_replicas), r.status_replicas)
    ) filter (u.reconcile_id is null) as pods_kept,
    round(sum(
        spare_pods(r.desired, greatest(a.best, r.min_replicas), r.status_replicas) * coalesce(w.stood_s, r.lasted_s)
    ) filter (u.reconcile_id is null)) as pod_seconds_kept,
    min(r.ts) as first_at,
    max(r.ts) as last_at
from reconciles as r
join asked as a using (reconcile_id)
left join interruptions as w using (reconcile_id)
left join remembered_replicas as m using (reconcile_id)
left join unmeasured as u using (reconcile_id)
where (u.reconcile_id is not null or r.desired > greatest(a.best, r.min_replicas) and a.best < r.spec_replicas)
    and has_inputs(r.class)
group by r.hpa_uid, r.namespace, r.name, r.reason_code, a.metric_name
order by pod_seconds_kept desc nulls last, r.namespace, r.name, r.reason_code, a.metric_name, r.hpa_uid;
