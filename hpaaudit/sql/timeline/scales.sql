-- When did spec.replicas of one HPA's target change?
-- One row per actual change, in the order of time. at_us: when the new number was seen first.
select epoch_us(at_hi) as at_us, from_replicas, to_replicas
from scale_events
where source = 'actual' and namespace = $namespace and name = $name
-- Two HPAs of one name, the second made after the first, may both have seen a change.
group by at_us, from_replicas, to_replicas
order by at_us, min(scale_event_id);
