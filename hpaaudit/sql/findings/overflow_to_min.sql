-- Which HPAs had a metric so large that the number of replicas overflows?
-- One row per HPA. The product of ratio and pods is beyond 32 bits.
-- Needs: ratio.huge
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, 'critical' as severity,
    format(
        '{} was {} its target, which asks for more replicas than 32 bits hold: {} became {}',
        arg_max(p.metric_name, (p.ratio, r.ts, p.metric_idx)),
        if(isinf(max(p.ratio)), 'infinitely far above', format('{:.0f} times', max(p.ratio))),
        arg_max(r.spec_replicas, (p.ratio, r.ts, p.metric_idx)), arg_max(r.desired, (p.ratio, r.ts, p.metric_idx))
    ) as verdict,
    json_object('ratio', if(isinf(max(p.ratio)), null, max(p.ratio)), 'reconciles', count(distinct r.reconcile_id)) as evidence,
    'check the unit of the metric; newer releases and some processors scale to the maximum here, others to the minimum'
        as next_step
from runs.metric_proposals as p
join ran as r using (reconcile_id)
where not isnan(p.ratio) and p.ratio >= 1e6 and p.ratio * greatest(r.spec_replicas, 1) >= 2147483648
group by r.hpa_uid;
