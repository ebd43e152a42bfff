-- Which inputs of an HPA does the recording not hold at all?
-- One row per HPA and kind of input, as in unrecorded. What was not recorded is not none: a recording without pods says
-- nothing of how many there were. Pods count as recorded if one of the namespace was, or if the target never had any. Every
-- HPA needs them: whether another HPA scales the same pods is asked of all. A controller that asks Heapster (up to 1.8, up to 1.11
-- with a flag) reads no metrics API; a later one could have had what Heapster answered.
insert into unrecorded by name
with settings as (
    select
        max(value) filter (key = 'release') as release,
        max(value) filter (key = 'use-rest-clients') as uses_rest_clients
    from runs.assumptions
), era as (
    select
        minor_release(release) < 12
        and coalesce(uses_rest_clients = 'false', minor_release(release) < 9) as asks_heapster
    from settings
), answers as (
    select r.*
    from metric_reads as r
    cross join era
    where r.is_heapster or not era.asks_heapster
), wanted as (
    select
        h.hpa, h.hpa_uid, h.namespace,
        -- autoscaling/v1 keeps all metrics but cpu in an annotation.
        coalesce(list_has_any(json_extract_string(s.metrics, '$[*].type'), ['Resource', 'ContainerResource']), true)
            as has_resource,
        metric_names(s.metrics) as metrics
    from replayed_hpas as h
    join runs.hpa_specs as s using (hpa_uid)
)
select distinct h.hpa, false as lacks_pods, 'no scale of its target was recorded' as cause
from replayed_hpas as h
where not exists (
    from runs.hpa_specs as s
    join scale_looks as l on l.namespace = s.namespace and l.name = s.target_name
    where s.hpa_uid = h.hpa_uid
)
union all
select distinct w.hpa, true as lacks_pods, 'no pods of this namespace were recorded' as cause
from wanted as w
where not exists (from runs.pods as p where p.namespace = w.namespace)
    and exists (from runs.scale_states as t where t.hpa_uid = w.hpa_uid and t.status_replicas > 0)
union all
select distinct
    w.hpa,
    false as lacks_pods,
    if(
        era.asks_heapster,
        'no answer of Heapster to the controller was recorded for this namespace',
        'no answer of the resource metrics API was recorded for this namespace'
    ) as cause
from wanted as w
cross join era
where w.has_resource and not exists (from answers as r where r.kind = 'resource' and r.namespace = w.namespace)
union all
select distinct w.hpa, false as lacks_pods, 'no answer for metric ' || w.metric || ' was recorded' as cause
from (select hpa, namespace, unnest(metrics) as metric from wanted) as w
where not exists (
    from answers as r
    where r.kind = 'values' and r.namespace = w.namespace and r.metric = w.metric
);
