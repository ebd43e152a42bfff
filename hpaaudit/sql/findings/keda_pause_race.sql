-- Which HPAs belong to a ScaledObject that was paused?
-- One row per HPA.
-- Needs: relation.scaled_objects
with states as (
    select
        *, coalesce(lead(observed_at) over (partition by namespace, name order by observed_at), 'infinity') as until
    from runs.scaled_objects
), scaled as (
    select *, valid_from = min(valid_from) over (partition by hpa_uid) as is_own_first
    from tenures
)
select
    t.hpa_uid, min(o.observed_at) as first_at, max(o.observed_at) as last_at, 'medium' as severity,
    format(
        '{} was paused at {}', arg_min(o.name, (o.observed_at, o.name)), time_beside(min(o.observed_at), min(o.observed_at))
    ) as verdict,
    json_object('scaled_object', arg_min(o.name, (o.observed_at, o.name)), 'states', count(distinct o.observed_at)) as evidence,
    'pause with an explicit number of replicas; after the pause scale-downs wait for a whole window again' as next_step
from states as o
join scaled as t
    on t.namespace = o.namespace
    and t.target_kind = o.target_kind
    and t.target_name = o.target_name
    -- While it is paused, the ScaledObject may have no HPA: that of before or after counts, unless it had another target.
    and coalesce(t.next_from, 'infinity') > o.observed_at
    and (t.is_own_first or t.valid_from < o.until)
where not o.gone
    and (o.paused = 'True' or contains(o.annotations, '"autoscaling.keda.sh/paused'))
group by t.hpa_uid;
