-- Which HPAs have a target whose requests a VerticalPodAutoscaler changes too?
-- One row per HPA, of the time in which it has a target in percent of a request.
-- Needs: relation.surroundings
with states as (
    select
        namespace, name, observed_at, state, gone,
        coalesce(lead(observed_at) over (partition by namespace, name order by observed_at), 'infinity') as until
    from runs.surroundings
    where resource = 'verticalpodautoscalers'
), vpas as (
    select
        namespace, name, observed_at, until,
        json_extract_string(state, '$.targetRef.kind') as target_kind,
        json_extract_string(state, '$.targetRef.name') as target_name,
        coalesce(json_extract_string(state, '$.updateMode'), 'Auto') as update_mode
    from states
    where not gone
), met as (
    select
        s.hpa_uid, v.name, v.update_mode, greatest(v.observed_at, s.valid_from) as first_at,
        least(v.until, coalesce(s.valid_to, i.ended_at), i.ended_at) as last_at
    from runs.hpa_specs as s
    join vpas as v
        on v.namespace = s.namespace
        and v.target_kind = s.target_kind
        and v.target_name = s.target_name
        and v.observed_at < coalesce(s.valid_to, 'infinity')
        and s.valid_from < v.until
    cross join runs.recordings as i
    where v.update_mode not in ('Off', 'Initial')
        and contains(s.metrics::varchar, 'averageUtilization')
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, 'medium' as severity,
    format('VerticalPodAutoscaler {} changes the requests in mode {}', arg_min(name, (first_at, name)),
        arg_min(update_mode, (first_at, name))) as verdict,
    json_object(
        'vpa', arg_min(name, (first_at, name)), 'mode', arg_min(update_mode, (first_at, name))
    ) as evidence,
    'let both not share a resource, or give the HPA a target of type AverageValue' as next_step
from met
group by hpa_uid;
