-- Which HPAs did not scale up, because unready or unmeasured pods counted as idle?
-- One row per HPA, if that lasted for a minute.
-- Needs: adjust.direction_flip_hold adjust.damped_into_tolerance adjust.count_flip_hold
with held as (
    select
        r.hpa_uid, r.ts, r.lasted_s, r.spec_replicas, p.ratio, p.ratio_adjusted, p.unready_pods, p.missing_pods,
        greatest(ceil(p.ratio * p.ready_pods) - r.spec_replicas, 0) as missing
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.reason_code in ('adjust.direction_flip_hold', 'adjust.damped_into_tolerance', 'adjust.count_flip_hold')
        and p.ratio > 1 + p.tolerance
        and p.unready_pods + p.missing_pods > 0
        -- At maxReplicas no scale-up was possible, whatever the pods.
        and r.spec_replicas < r.max_replicas
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(sum(missing * lasted_s), 0, 0) as severity,
    format(
        '{} of {} replicas counted as idle, and held a scale-up for {} s: the ratio {} became {}',
        arg_max(unready_pods + missing_pods, (ratio, ts)), arg_max(spec_replicas, (ratio, ts)), round(sum(lasted_s))::bigint,
        round(max(ratio), 2), round(arg_max(ratio_adjusted, (ratio, ts)), 2)
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'short_pod_seconds', round(sum(missing * lasted_s), 6), 'unready', max(unready_pods),
        'missing', max(missing_pods)
    ) as evidence,
    'make readiness independent of load, raise minReplicas, or use a metric that unready pods do not dilute' as next_step
from held
group by hpa_uid
having sum(lasted_s) >= 60;
