-- Which StatefulSets did not get their pods, perhaps because one pod that is not ready blocks the next?
-- One row per HPA.
-- Needs: effect.not_created
select
    e.hpa_uid, min(e.ts) as first_at, max(e.until) as last_at,
    cost_severity(sum(e.pod_seconds_missing), 0, 0) as severity,
    format(
        'StatefulSet {} was scaled to {}, and had {} and {} ready', any_value(h.target_name),
        arg_max(e.wanted, (e.pod_seconds_missing, e.ts)), counted(arg_max(e.made, (e.pod_seconds_missing, e.ts)), 'pod'),
        coalesce(arg_max(e.ready, (e.pod_seconds_missing, e.ts))::varchar, 'unknown')
    ) as verdict,
    json_object('short_pod_seconds', round(sum(e.pod_seconds_missing), 6), 'times', count(*)) as evidence,
    'repair the pod that is not ready; podManagementPolicy Parallel does not wait for it' as next_step
from runs.effects as e
join runs.hpas as h using (hpa_uid)
where h.target_kind = 'StatefulSet'
    and e.class = 'effect.not_created'
    and e.wanted - e.made >= 1
    -- A refusal names itself: it is no pod that waits.
    and e.cause is null
group by e.hpa_uid;
