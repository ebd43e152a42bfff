-- Which HPAs did not scale, or not down, because one of their metrics was unusable?
-- One row per HPA. What the failed metrics would have asked for is unknown.
-- Needs: gate.partial_metrics_block_down gate.metric_failed
with blocked as (
    select
        reconcile_id, hpa_uid, epoch_id, ts, lasted_s, until_next_s, spec_replicas, status_replicas, unheld, min_replicas,
        max_replicas, reason_code
    from ran
    where reason_code in ('gate.partial_metrics_block_down', 'gate.metric_failed')
), asked as (
    select
        b.reconcile_id,
        max(p.proposal) filter (p.valid) as best,
        list(distinct p.metric_label order by p.metric_label) filter (not p.valid) as failed,
        arg_min(p.metric_label, p.metric_idx) filter (not p.valid) as metric_label,
        arg_min(p.invalid_code, p.metric_idx) filter (not p.valid) as invalid_code
    from runs.metric_proposals as p
    join blocked as b using (reconcile_id)
    group by b.reconcile_id
), held as (
    select
        b.hpa_uid, b.ts, b.lasted_s, a.failed, a.metric_label, a.invalid_code,
        begins_stretch(b.ts, lag(b.ts) over one, lag(b.until_next_s) over one) as is_first,
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
    window one as (partition by b.hpa_uid order by b.ts, b.reconcile_id)
), names as (
    -- always: metrics that failed in each of these reconciles. While one of them fails, repairing the others changes nothing.
    select
        hpa_uid, any_value(n.always) as always,
        list(distinct name order by name) filter (not list_contains(n.always, name)) as at_times
    from held
    join (
        select hpa_uid, list_sort(list_reduce(list(failed), lambda one, other: list_intersect(one, other))) as always
        from held
        group by hpa_uid
    ) as n using (hpa_uid)
    cross join unnest(held.failed) as f(name)
    group by hpa_uid
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(sum(more * lasted_s), sum(fewer * lasted_s), sum(lasted_s)) as severity,
    format(
        '{}, so that nothing {} {}{}{}',
        case
            when any_value(len(n.always)) = 0 then enumerated(any_value(n.at_times), word := 'or') || ' was unusable'
            else enumerated(any_value(n.always)) || if(any_value(len(n.always)) = 1, ' was', ' were') || ' unusable'
                || coalesce(', at times ' || enumerated(any_value(n.at_times)) || ' too', '')
        end,
        case
            when bool_and(is_held_up) and max(more) > 0 and max(fewer) = 0 then 'scaled up'
            when bool_and(is_held_up) then 'could scale'
            when max(fewer) > 0 then 'scaled down'
            else 'could scale down'
        end,
        -- The metric may have failed for longer: what somebody else wrote meanwhile ended what it held.
        lasting(sum(lasted_s), sum(is_first::integer)),
        if(max(fewer) > 0 and not bool_and(is_held_up), format(': up to {} kept', counted(max(fewer), 'pod')), ''),
        if(max(more) > 0, format(': what was usable asked for up to {} more', counted(max(more), 'pod')), '')
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'spare_pod_seconds', round(sum(fewer * lasted_s), 6),
        'short_pod_seconds', round(sum(more * lasted_s), 6), 'metric', mode(metric_label order by metric_label),
        'invalid_code', mode(invalid_code order by invalid_code)
    ) as evidence,
    if(
        any_value(len(n.always)) > 1, 'repair the source of each of these metrics, or remove what is absent by design',
        'repair the source of this metric, or remove a metric that is absent by design'
    ) as next_step
from held
join names as n using (hpa_uid)
group by hpa_uid
having sum(lasted_s) >= 60;
