-- Which HPAs were blind because a container of a pod has no request?
-- One row per HPA.
-- Needs: metric.invalid.missing_request
with lacked as (
    -- Metrics of several containers may lack one resource in the same reconcile.
    select distinct r.hpa_uid, r.reconcile_id, r.ts, r.until_next_s, p.metric_name
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
    where p.invalid_code = 'metric.invalid.missing_request'
), unusable as (
    select
        hpa_uid, ts, until_next_s, metric_name,
        begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from lacked
    window one as (partition by hpa_uid, metric_name order by ts, reconcile_id)
), blind as (
    select
        hpa_uid, metric_name, min(ts) as first_at, max(ts) as last_at, round(sum(until_next_s), 6) as blind_s,
        sum(is_first::integer) as stretches
    from unusable
    group by hpa_uid, metric_name
), lacking as (
    select
        h.hpa_uid, w.resource, count(*) as pods,
        arg_min(h.pod, (p.created_at, h.pod)) as pod,
        arg_min(w.containers, (p.created_at, h.pod)) as containers
    from main.hpa_pods as h
    join runs.pods as p using (pod_uid)
    cross join lateral (
        values ('cpu', p.without_cpu_request), ('memory', p.without_memory_request)
    ) as w(resource, containers)
    where w.containers <> []
    group by h.hpa_uid, w.resource
)
select
    b.hpa_uid, min(b.first_at) as first_at, max(b.last_at) as last_at,
    cost_severity(0, 0, max(b.blind_s)) as severity,
    format(
        'blind {}: {} without a request of {}',
        lasting(max(b.blind_s), arg_max(b.stretches, (b.blind_s, b.metric_name))),
        coalesce(
            format('container {} of pod {} is', arg_max(l.containers[1], (b.blind_s, b.metric_name)),
                arg_max(l.pod, (b.blind_s, b.metric_name))),
            'a container is'
        ),
        arg_max(b.metric_name, (b.blind_s, b.metric_name))
    ) as verdict,
    json_object(
        'blind_s', max(b.blind_s), 'resource', arg_max(b.metric_name, (b.blind_s, b.metric_name)),
        'pods', arg_max(l.pods, (b.blind_s, b.metric_name))
    ) as evidence,
    'set the request on every container, also on those that are injected; or use a ContainerResource metric' as next_step
from blind as b
left join lacking as l on l.hpa_uid = b.hpa_uid and l.resource = b.metric_name
group by b.hpa_uid;
