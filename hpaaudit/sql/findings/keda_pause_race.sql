-- Which HPAs belong to a ScaledObject that was paused?
-- One row per HPA.
-- Needs: relation.scaled_objects
select
    h.hpa_uid, min(o.observed_at) as first_at, max(o.observed_at) as last_at, 'medium' as severity,
    format('{} was paused at {}', any_value(o.name), time_beside(min(o.observed_at), min(o.observed_at))) as verdict,
    json_object('scaled_object', any_value(o.name), 'states', count(*)) as evidence,
    'pause with an explicit number of replicas; after the pause scale-downs wait for a whole window again' as next_step
from runs.scaled_objects as o
join runs.hpas as h
    on h.namespace = o.namespace
    -- While it is paused, the ScaledObject may have no HPA.
    and h.target_kind = o.target_kind
    and h.target_name = o.target_name
where not o.gone
    and (o.paused = 'True' or contains(o.annotations, '"autoscaling.keda.sh/paused'))
group by h.hpa_uid;
