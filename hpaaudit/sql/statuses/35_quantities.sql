-- Which quantities did the controller publish, as text?
-- One row per distinct text.
select distinct text
from (
    select unnest([
        m.resource.current.averageValue, m.resource.current.value,
        m.containerResource.current.averageValue, m.containerResource.current.value,
        m.pods.current.averageValue, m.pods.current.value,
        m.object.current.averageValue, m.object.current.value,
        m.external.current.averageValue, m.external.current.value,
        m.resource.currentAverageValue, m.containerResource.currentAverageValue, m.pods.currentAverageValue,
        m.object.averageValue, m.object.currentValue, m.external.currentAverageValue, m.external.currentValue
    ]) as text
    from (select unnest(status.currentMetrics) as m from statuses)
)
where text is not null;
