-- Which StatefulSets did not get their pods, perhaps because one pod that is not ready blocks the next?
-- One row per HPA.
-- Needs: effect.not_created
with lacking as (
    select e.*, t.target_name, (e.pod_seconds_missing, e.ts) as longest
    from runs.effects as e
    -- The target of that time: scaleTargetRef may have been edited.
    asof join tenures as t on t.hpa_uid = e.hpa_uid and t.valid_from <= e.ts
    where t.target_kind = 'StatefulSet'
        and e.class = 'effect.not_created'
        and e.wanted - e.made >= 1
        -- A refusal names itself: it is no pod that waits.
        and e.cause is null
)
select
    hpa_uid, min(ts) as first_at, max(until) as last_at,
    cost_severity(sum(pod_seconds_missing), 0, 0) as severity,
    format(
        'StatefulSet {} {} {}, and had {} and {} ready', arg_max(target_name, longest),
        -- The number may have been so when the recording began, or when the HPA turned to this target.
        if(arg_max(scale_event_id is not null, longest), 'was scaled to', 'asked for'),
        arg_max(wanted, longest), counted(arg_max(made, longest), 'pod'),
        -- Whether it is known how many were ready differs: none may be told of another time.
        coalesce(arg_max(coalesce(ready::varchar, 'unknown'), longest), 'unknown')
    ) as verdict,
    json_object('short_pod_seconds', round(sum(pod_seconds_missing), 6), 'times', count(*)) as evidence,
    'repair the pod that is not ready; podManagementPolicy Parallel does not wait for it' as next_step
from lacking
group by hpa_uid;
