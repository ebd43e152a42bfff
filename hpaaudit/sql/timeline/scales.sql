-- When did spec.replicas of one HPA's target change?
-- One row per actual change, in the order of time, and one where the HPA got another target with another number. at_us: when
-- the new number was seen first.
with targets as (
    select
        hpa_uid, target_since, arg_min(spec_replicas, seq) as first_replicas,
        lag(arg_max(spec_replicas, seq)) over (partition by hpa_uid order by target_since) as former_replicas
    from scale_states
    where namespace = $namespace and name = $name
    group by hpa_uid, target_since
), changes as (
    select at_hi as seen_at, from_replicas, to_replicas, scale_event_id
    from scale_events
    where source = 'actual' and namespace = $namespace and name = $name
    union all
    select target_since, former_replicas, first_replicas, 0
    from targets
    where former_replicas <> first_replicas
)
select epoch_us(seen_at) as at_us, from_replicas, to_replicas
from changes
-- Two HPAs of one name, the second made after the first, may both have seen a change.
group by at_us, from_replicas, to_replicas
order by at_us, min(scale_event_id);
