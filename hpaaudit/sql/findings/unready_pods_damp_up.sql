-- Which HPAs did not scale up, because unready or unmeasured pods counted as idle?
-- One row per HPA, if one scale-up was held so for a minute: at most one reconcile between two that hold it does not.
-- Needs: adjust.direction_flip_hold adjust.damped_into_tolerance adjust.count_flip_hold
with held as (
    select
        r.hpa_uid, r.ts, r.until_next_s, r.lasted_s, r.spec_replicas, p.ratio, p.ratio_adjusted, p.unready_pods, p.missing_pods,
        p.ready_pods + p.unready_pods + p.missing_pods as pods,
        -- At least: what the pods that count ask for without the others.
        greatest(least(ceil(p.ratio * p.ready_pods), r.unheld) - r.desired, 0) as missing
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.reason_code in ('adjust.direction_flip_hold', 'adjust.damped_into_tolerance', 'adjust.count_flip_hold')
        and p.unready_pods + p.missing_pods > 0
        -- A bound, a window or a policy would have held the same number, whatever the pods.
        and r.unheld > r.desired
), begun as (
    -- A change of the replicas ends it, too.
    select
        *,
        coalesce(
            ts > lag(ts) over one + 2.5 * lag(until_next_s) over one * interval 1 second
            or spec_replicas <> lag(spec_replicas) over one,
            true
        ) as is_first
    from held
    window one as (partition by hpa_uid order by ts)
), spells as (
    select *, sum(is_first::integer) over (partition by hpa_uid order by ts) as spell
    from begun
), long_ones as (
    select *
    from spells
    qualify sum(lasted_s) over (partition by hpa_uid, spell) >= 60
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(sum(missing * lasted_s), 0, 0) as severity,
    -- Surge pods count too, so that they may be more than the replicas. The numbers are those of the highest ratio.
    format(
        '{}{} of {} counted as idle, and held a scale-up {}: the ratio {} became {}',
        if(count(distinct (unready_pods + missing_pods, pods, ratio, ratio_adjusted)) > 1, 'at worst ', ''),
        arg_max(unready_pods + missing_pods, (ratio, ts)), counted(arg_max(pods, (ratio, ts)), 'pod'),
        lasting(sum(lasted_s), count(distinct spell)), round(max(ratio), 2), round(arg_max(ratio_adjusted, (ratio, ts)), 2)
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'short_pod_seconds', round(sum(missing * lasted_s), 6), 'unready', max(unready_pods),
        'missing', max(missing_pods)
    ) as evidence,
    'make readiness independent of load, raise minReplicas, or use a metric that unready pods do not dilute' as next_step
from long_ones
group by hpa_uid;
