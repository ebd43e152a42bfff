-- Which HPAs have a target whose requests a VerticalPodAutoscaler changes too?
-- One row per HPA with a target in percent of a request.
-- Needs: relation.surroundings
with vpas as (
    select
        namespace, name, observed_at,
        json_extract_string(state, '$.targetRef.kind') as target_kind,
        json_extract_string(state, '$.targetRef.name') as target_name,
        coalesce(json_extract_string(state, '$.updateMode'), 'Auto') as update_mode
    from runs.surroundings
    where resource = 'verticalpodautoscalers' and not gone
), percent as (
    select distinct hpa_uid
    from runs.hpa_specs
    where contains(metrics::varchar, 'averageUtilization')
)
select
    h.hpa_uid, min(v.observed_at) as first_at, max(v.observed_at) as last_at, 'medium' as severity,
    format('VerticalPodAutoscaler {} changes the requests in mode {}', arg_min(v.name, (v.observed_at, v.name)),
        arg_min(v.update_mode, (v.observed_at, v.name))) as verdict,
    json_object(
        'vpa', arg_min(v.name, (v.observed_at, v.name)), 'mode', arg_min(v.update_mode, (v.observed_at, v.name))
    ) as evidence,
    'let both not share a resource, or give the HPA a target of type AverageValue' as next_step
from runs.hpas as h
join vpas as v
    on v.namespace = h.namespace
    and v.target_kind = h.target_kind
    and v.target_name = h.target_name
semi join percent as p on p.hpa_uid = h.hpa_uid
where v.update_mode not in ('Off', 'Initial')
group by h.hpa_uid;
