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
            when 'Pods' then coalesce(metric.pods.metric.name, metric.pods.metricName)
            when 'Object' then coalesce(metric.object.metric.name, metric.object.metricName)
            when 'External' then coalesce(metric.external.metric.name, metric.external.metricName)
        end as metric_name,
        if(metric.type = 'ContainerResource', metric.containerResource.container, '') as container,
        case metric.type
            when 'Resource'
                then coalesce(metric.resource.current.averageUtilization, metric.resource.currentAverageUtilization)
            when 'ContainerResource'
                then coalesce(
                    metric.containerResource.current.averageUtilization,
                    metric.containerResource.currentAverageUtilization
                )
        end as avg_utilization,
        case metric.type
            when 'Resource'
                then coalesce(metric.resource.current.averageValue, metric.resource.currentAverageValue)
            when 'ContainerResource'
                then coalesce(metric.containerResource.current.averageValue, metric.containerResource.currentAverageValue)
            when 'Pods' then coalesce(metric.pods.current.averageValue, metric.pods.currentAverageValue)
            when 'Object' then coalesce(metric.object.current.averageValue, metric.object.averageValue)
            when 'External' then coalesce(metric.external.current.averageValue, metric.external.currentAverageValue)
        end as average,
        case metric.type
            when 'Resource' then metric.resource.current.value
            when 'ContainerResource' then metric.containerResource.current.value
            when 'Pods' then metric.pods.current.value
            when 'Object' then coalesce(metric.object.current.value, metric.object.currentValue)
            when 'External' then coalesce(metric.external.current.value, metric.external.currentValue)
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
