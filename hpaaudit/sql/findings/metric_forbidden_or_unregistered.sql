-- Which HPAs have a metric that the controller may not read, or that nothing serves?
-- One row per HPA.
-- Needs: metric.invalid.forbidden metric.invalid.not_registered
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at,
    cost_severity(0, 0, sum(r.lasted_s) filter (r.reason_code = 'gate.all_metrics_invalid')) as severity,
    format(
        'the controller {} {} in {}',
        if(
            mode(p.invalid_code order by p.invalid_code) = 'metric.invalid.forbidden',
            'may not read', 'finds nothing that serves'
        ),
        mode(p.metric_name order by p.metric_name), counted(count(distinct r.reconcile_id), 'reconcile')
    ) as verdict,
    json_object(
        'reconciles', count(distinct r.reconcile_id), 'metric', mode(p.metric_name order by p.metric_name),
        'invalid_code', mode(p.invalid_code order by p.invalid_code),
        'error', any_value(p.invalid_text order by r.ts, p.metric_idx)
    ) as evidence,
    if(
        mode(p.invalid_code order by p.invalid_code) = 'metric.invalid.forbidden',
        'give the service account horizontal-pod-autoscaler of kube-system the right to read this API',
        'install or repair the adapter that serves this API: its APIService names it'
    ) as next_step
from runs.metric_proposals as p
join ran as r using (reconcile_id)
where p.invalid_code in ('metric.invalid.forbidden', 'metric.invalid.not_registered')
    -- One reconcile may have met an adapter that was being restarted.
group by r.hpa_uid
having count(distinct r.reconcile_id) >= 2;
