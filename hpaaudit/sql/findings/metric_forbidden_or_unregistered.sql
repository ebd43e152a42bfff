-- Which HPAs have a metric that the controller may not read, or that nothing serves?
-- One row per HPA, of the metric that failed so most often.
-- Needs: metric.invalid.forbidden metric.invalid.not_registered
with failed as (
    select
        r.hpa_uid, p.metric_label, p.invalid_code, min(r.ts) as first_at, max(r.ts) as last_at,
        count(distinct r.reconcile_id) as reconciles,
        sum(r.until_next_s) filter (r.reason_code = 'gate.all_metrics_invalid') as blind_s,
        any_value(p.invalid_text order by r.ts, p.metric_idx) as error
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
    where p.invalid_code in ('metric.invalid.forbidden', 'metric.invalid.not_registered')
    group by r.hpa_uid, p.metric_label, p.invalid_code
)
select
    hpa_uid, first_at, last_at, cost_severity(0, 0, blind_s) as severity,
    format(
        'the controller {} {} in {}',
        if(invalid_code = 'metric.invalid.forbidden', 'may not read', 'finds nothing that serves'),
        metric_label, counted(reconciles, 'reconcile')
    ) as verdict,
    json_object('reconciles', reconciles, 'metric', metric_label, 'invalid_code', invalid_code, 'error', error) as evidence,
    if(
        invalid_code = 'metric.invalid.forbidden',
        'give the service account horizontal-pod-autoscaler of kube-system the right to read this API',
        'install or repair the adapter that serves this API: its APIService names it'
    ) as next_step
from failed
-- One reconcile may have met an adapter that was being restarted.
where reconciles >= 2
qualify row_number() over (partition by hpa_uid order by reconciles desc, first_at, metric_label, invalid_code) = 1;
