-- Which HPAs stay below their target, and are never smaller, because the number is rounded up?
-- One row per HPA: for at least half an hour, and longer than the metric was on target.
with low as (
    select
        r.hpa_uid, r.ts, r.lasted_s, r.spec_replicas, p.metric_name, p.ratio
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.action = 'hold'
        and p.ratio < 1 - p.tolerance
        and p.proposal = r.spec_replicas
        and p.adjust_code = 'adjust.none'
        and r.spec_replicas > greatest(r.min_replicas, 1)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format(
        '{} at {} of its target for {} min, and still {}: for one pod fewer it must fall below {}',
        mode(metric_name order by metric_name), round(avg(ratio), 2), round(sum(lasted_s) / 60)::bigint,
        counted(mode(spec_replicas order by spec_replicas), 'replica'),
        round((mode(spec_replicas order by spec_replicas) - 1.0) / mode(spec_replicas order by spec_replicas), 2)
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'mean_ratio', round(avg(ratio), 9), 'replicas', mode(spec_replicas order by spec_replicas)
    ) as evidence,
    'raise the target or the request, or remove a metric whose floor does not depend on load' as next_step
from low
group by hpa_uid
having sum(lasted_s) >= 1800;
