-- Which HPAs lost their metrics when another provider took over their metrics API?
-- One row per HPA whose metric of that API was unusable within ten minutes afterwards.
-- Needs: relation.api_services
with states as (
    select
        name, observed_at, service,
        lag(service) over (partition by name order by observed_at) as service_before
    from runs.api_services
    where service <> ''
), moves as (
    select *, regexp_extract(name, '(\w+)\.metrics\.k8s\.io$', 1) as api
    from states
    where service <> service_before
), failed as (
    select
        p.hpa_uid, p.ts, p.metric_label,
        case when p.metric_type = 'External' then 'external' else 'custom' end as api
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
    where not p.valid and p.metric_type in ('External', 'Pods', 'Object')
), hit as (
    select f.hpa_uid, f.ts, f.metric_label, m.name, m.observed_at, m.service, m.service_before
    from failed as f
    asof join moves as m on m.api = f.api and m.observed_at <= f.ts
    where f.ts < m.observed_at + interval 10 minutes
)
select
    hpa_uid, min(observed_at) as first_at, max(ts) as last_at, 'high' as severity,
    format(
        '{} moved from {} to {}, and {} was unusable afterwards', arg_min(name, (ts, metric_label)),
        arg_min(service_before, (ts, metric_label)), arg_min(service, (ts, metric_label)), arg_min(metric_label, (ts, metric_label))
    ) as verdict,
    json_object(
        'api_service', arg_min(name, (ts, metric_label)), 'from', arg_min(service_before, (ts, metric_label)),
        'to', arg_min(service, (ts, metric_label)),
        'reconciles', count(*)
    ) as evidence,
    'let one provider serve this API, and the others stand behind it' as next_step
from hit
group by hpa_uid;
