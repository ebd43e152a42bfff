-- What did the controller publish, and when?
-- One row per status, as in runs.hpa_status.
insert into runs.hpa_status by name
with named as (
    select
        *,
        list_filter(status.conditions, lambda c: c.type = 'AbleToScale')[-1] as able,
        list_filter(status.conditions, lambda c: c.type = 'ScalingActive')[-1] as active,
        list_filter(status.conditions, lambda c: c.type = 'ScalingLimited')[-1] as limited
    from statuses
)
select
    replay_id, hpa_uid, namespace, name, observed_at, resource_version,
    coalesce(status.currentReplicas, 0) as current_replicas,
    coalesce(status.desiredReplicas, 0) as desired_replicas,
    published_time(status.lastScaleTime) as last_scale_time,
    status.observedGeneration as observed_generation,
    if(able is null, null, coalesce(able.status, '')) as able_status,
    if(able is null, null, coalesce(able.reason, '')) as able_reason,
    if(active is null, null, coalesce(active.status, '')) as active_status,
    if(active is null, null, coalesce(active.reason, '')) as active_reason,
    if(limited is null, null, coalesce(limited.status, '')) as limited_status,
    if(limited is null, null, coalesce(limited.reason, '')) as limited_reason
from named
order by seq;
