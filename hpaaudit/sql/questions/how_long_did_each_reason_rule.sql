-- How long did each reason rule, and what did Kubernetes report meanwhile?
-- One row per HPA and reason.
-- Asked: What happened?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reason_code: the last step that changed the number, else what the winning metric found; `unknown`: its inputs are not recorded
--   minutes: how long it ruled: until the next reconcile, also where somebody else wrote the replicas meanwhile
--   time_pct: percent of the HPA's time
--   reconciles: how many reconciles
--   able_reason: the most frequent reason of the condition AbleToScale meanwhile, as replayed
--   active_reason: of ScalingActive
--   limited_reason: of ScalingLimited
with told as (
    select
        hpa_uid, namespace, name, lasted_s,
        if(has_inputs(class), reason_code, 'unknown') as reason_code,
        if(has_inputs(class), able_reason, null) as able_reason,
        if(has_inputs(class), active_reason, null) as active_reason,
        if(has_inputs(class), limited_reason, null) as limited_reason
    from reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
        and coalesce(class, '') not like 'not@_run.%' escape '@'
)
select
    any_value(namespace) as namespace,
    any_value(name) as name,
    reason_code,
    round(sum(lasted_s) / 60, 1) as minutes,
    round(100 * sum(lasted_s) / nullif(sum(sum(lasted_s)) over (partition by hpa_uid), 0), 1) as time_pct,
    count(*) as reconciles,
    mode(able_reason order by able_reason) as able_reason,
    mode(active_reason order by active_reason) as active_reason,
    mode(limited_reason order by limited_reason) as limited_reason
from told
group by hpa_uid, reason_code
order by namespace, name, sum(lasted_s) desc, reason_code, hpa_uid;
