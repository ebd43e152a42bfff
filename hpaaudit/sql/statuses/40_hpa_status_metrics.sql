-- Which metric values did the controller publish?
-- One row per entry of currentMetrics of a status, as in runs.hpa_status_metrics. The table `quantities` has the value of each text.
insert into runs.hpa_status_metrics by name
with each as (
    select
        replay_id, hpa_uid, namespace, name, observed_at,
        generate_subscripts(status.currentMetrics, 1) - 1 as metric_idx,
        unnest(status.currentMetrics) as metric
    from statuses
), sources as (
    select
        * exclude (metric),
        coalesce(metric.type, '') as metric_type,
        case metric.type
            when 'Resource' then metric.resource.name
            when 'ContainerResource' then metric.containerResource.name
            when 'Pods' then metric.pods.metric.name
            when 'Object' then metric.object.metric.name
            when 'External' then metric.external.metric.name
        end as metric_name,
        if(metric.type = 'ContainerResource', metric.containerResource.container, '') as container,
        case metric.type
            when 'Resource' then metric.resource.current.averageUtilization
            when 'ContainerResource' then metric.containerResource.current.averageUtilization
        end as avg_utilization,
        case metric.type
            when 'Resource' then metric.resource.current.averageValue
            when 'ContainerResource' then metric.containerResource.current.averageValue
            when 'Pods' then metric.pods.current.averageValue
            when 'Object' then metric.object.current.averageValue
            when 'External' then metric.external.current.averageValue
        end as average,
        case metric.type
            when 'Resource' then metric.resource.current.value
            when 'ContainerResource' then metric.containerResource.current.value
            when 'Pods' then metric.pods.current.value
            when 'Object' then metric.object.current.value
            when 'External' then metric.external.current.value
        end as own
    from each
)
select
    s.replay_id, s.hpa_uid, s.namespace, s.name, s.observed_at, s.metric_idx, s.metric_type,
    coalesce(s.metric_name, '') as metric_name,
    coalesce(s.container, '') as container,
    s.avg_utilization,
    a.milli as avg_value_milli,
    v.milli as value_milli
from sources as s
left join quantities as a on a.text = s.average
left join quantities as v on v.text = s.own;

drop table statuses;
