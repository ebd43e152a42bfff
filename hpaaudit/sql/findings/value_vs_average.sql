-- Which HPAs ran away to their maximum, because a total was given as target of type Value?
-- One row per HPA. Scale-ups from at least three sizes by one such metric, whose ratio did not fall while the pods grew.
-- Needs: External Object
with steps as (
    select
        r.hpa_uid, r.ts, r.spec_replicas, r.desired, r.max_replicas, p.metric_idx, p.metric_name, p.ratio,
        lag(p.ratio) over (partition by r.hpa_uid, p.metric_idx order by r.ts) as ratio_before
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.action = 'scale_up'
        and p.metric_type in ('External', 'Object')
        and p.target_type = 'Value'
        and p.ratio > 1
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'high' as severity,
    format(
        '{} has a target of type Value: {} from {} to {} replicas did not lower it', any_value(metric_name),
        counted(count(*), 'scale-up'), min(spec_replicas), max(desired)
    ) as verdict,
    json_object(
        'metric', any_value(metric_name), 'steps', count(*), 'first_ratio', arg_min(ratio, ts),
        'last_ratio', arg_max(ratio, ts), 'from', min(spec_replicas), 'to', max(desired)
    ) as evidence,
    'use the type AverageValue for a total, such as the length of a queue' as next_step
from steps
group by hpa_uid, metric_idx
-- A load that grows looks the same, but for so many sizes in a row that is rare.
having count(distinct spec_replicas) >= 3
    and max(desired) >= max(max_replicas)
    and count(*) filter (ratio < 0.9 * ratio_before) = 0
qualify row_number() over (partition by hpa_uid order by count(*) desc, metric_idx) = 1;
