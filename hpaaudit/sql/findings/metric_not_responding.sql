-- Which HPAs scale by a metric per pod that does not fall when pods are added?
-- One row per HPA. Scale-ups from at least three sizes that doubled the pods, while the metric of every pod stayed as high.
-- Needs: action.scale_up
with steps as (
    select
        r.hpa_uid, r.ts, r.spec_replicas, r.desired, p.metric_idx, p.metric_name, p.ratio
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.action = 'scale_up'
        and p.target_type in ('Utilization', 'AverageValue')
        and p.ratio > 1
        and p.adjust_code = 'adjust.none'
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'medium' as severity,
    format(
        '{} stood at {} of its target with {} replicas, and at {} with {}', any_value(metric_name),
        round(arg_min(ratio, ts), 2), arg_min(spec_replicas, ts), round(arg_max(ratio, ts), 2),
        arg_max(spec_replicas, ts)
    ) as verdict,
    json_object(
        'metric', any_value(metric_name), 'steps', count(*), 'first_ratio', arg_min(ratio, ts),
        'last_ratio', arg_max(ratio, ts), 'from', min(spec_replicas), 'to', max(desired)
    ) as evidence,
    'choose a metric that the pods share: memory and the latency of a dependency do not fall with more pods' as next_step
from steps
group by hpa_uid, metric_idx
-- A load that grows looks the same, but for so many sizes in a row that is rare.
having count(distinct spec_replicas) >= 3
    and arg_max(spec_replicas, ts) >= 2 * arg_min(spec_replicas, ts)
    and arg_max(ratio, ts) >= 0.95 * arg_min(ratio, ts)
qualify row_number() over (partition by hpa_uid order by count(*) desc, metric_idx) = 1;
