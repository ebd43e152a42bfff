-- Which HPAs did not scale, or not down, because one of their metrics was unusable?
-- One row per HPA. What the failed metric would have asked for is unknown.
-- Needs: gate.partial_metrics_block_down gate.metric_failed
with blocked as (
    select reconcile_id, hpa_uid, epoch_id, ts, lasted_s, spec_replicas, status_replicas, unheld, min_replicas, max_replicas, reason_code
    from ran
    where reason_code in ('gate.partial_metrics_block_down', 'gate.metric_failed')
), asked as (
    select
        b.reconcile_id,
        max(p.proposal) filter (p.valid) as best,
        arg_min(p.metric_name, p.metric_idx) filter (not p.valid) as metric_name,
        arg_min(p.invalid_code, p.metric_idx) filter (not p.valid) as invalid_code
    from runs.metric_proposals as p
    join blocked as b using (reconcile_id)
    group by b.reconcile_id
), held as (
    select
        b.hpa_uid, b.ts, b.lasted_s, a.metric_name, a.invalid_code,
        -- Until 1.14 the first metric that fails ends the reconcile; later it only forbids to scale down.
        b.reason_code = 'gate.metric_failed' as is_held_up,
        if(is_held_up, greatest(a.best, b.min_replicas, coalesce(m.replicas, 0)), b.unheld) as needed,
        if(a.best is null, 0, spare_pods(b.spec_replicas, needed, b.status_replicas)) as fewer,
        if(is_held_up and a.best is not null, greatest(least(a.best, b.max_replicas) - b.spec_replicas, 0), 0) as more
    from blocked as b
    join asked as a using (reconcile_id)
    left join main.remembered_replicas as m using (reconcile_id)
    -- What memory may have kept, or anything else would have kept, is not held by the metric alone.
    where is_held_up or m.is_whole and b.unheld < b.spec_replicas
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(sum(more * lasted_s), sum(fewer * lasted_s), sum(lasted_s)) as severity,
    format(
        '{} was unusable, so that nothing {} for {} s{}{}',
        -- Of each reconcile the first metric that failed, and another one may have failed in the next.
        enumerated(list(distinct metric_name order by metric_name), word := 'or'),
        case
            when bool_and(is_held_up) then 'could scale'
            when max(fewer) > 0 then 'scaled down'
            else 'could scale down'
        end,
        -- The metric may have failed for longer: what somebody else wrote meanwhile ended what it held.
        round(sum(lasted_s))::bigint,
        if(max(fewer) > 0 and not bool_and(is_held_up), format(': up to {} kept', counted(max(fewer), 'pod')), ''),
        if(max(more) > 0, format(': what was usable asked for up to {} more', counted(max(more), 'pod')), '')
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'spare_pod_seconds', round(sum(fewer * lasted_s), 6),
        'short_pod_seconds', round(sum(more * lasted_s), 6), 'metric', mode(metric_name order by metric_name),
        'invalid_code', mode(invalid_code order by invalid_code)
    ) as evidence,
    'repair the source of this metric, or remove a metric that is absent by design' as next_step
from held
group by hpa_uid
having sum(lasted_s) >= 60;
