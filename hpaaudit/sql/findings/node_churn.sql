-- Which HPAs have pods that end again and again although nobody scales down?
-- One row per HPA, if at least as many pods ended as its target has, and no rollout explains it.
-- Needs: pods.removed
with elsewhere as (
    -- Pods of a target that the HPA no longer scaled, or not yet.
    select p.hpa_uid, p.pod_uid, p.deleted_at
    from main.hpa_pods as p
    join runs.pods as o using (pod_uid)
    asof join tenures as t on t.hpa_uid = p.hpa_uid and t.valid_from <= p.deleted_at
    where t.target_name <> root_owner(o.owner_kind, o.owner_name).name
), of_target as (
    select
        e.* replace (
            greatest(
                e.removed - (
                    select count(*) from elsewhere as x where x.hpa_uid = e.hpa_uid and x.deleted_at >= e.ts and x.deleted_at < e.until
                ), 0
            ) as removed
        )
    from runs.effects as e
), ended as (
    select e.hpa_uid, sum(e.removed) as removed, max(e.wanted) as wanted, round(sum(e.pod_seconds_missing), 6) as missing_s,
        min(e.ts) filter (e.removed > 0) as first_at, max(e.until) filter (e.removed > 0) as last_at
    from of_target as e
    group by e.hpa_uid
), ends as (
    -- The number may have stood for long before the first of them ended, and after the last.
    select hpa_uid, min(deleted_at) as first_at, max(deleted_at) as last_at
    from (
        select
            e.hpa_uid, e.from_replicas, e.wanted, p.deleted_at,
            row_number() over (partition by e.hpa_uid, e.ts order by p.deleted_at) as nth
        from of_target as e
        join main.hpa_pods as p on p.hpa_uid = e.hpa_uid and p.deleted_at >= e.ts and p.deleted_at < e.until
        anti join elsewhere as x on x.hpa_uid = p.hpa_uid and x.pod_uid = p.pod_uid
        where e.removed > 0
    )
    -- The first ones are those that a lower number takes away.
    where nth > coalesce(from_replicas, wanted) - wanted
    group by hpa_uid
)
select
    e.hpa_uid, coalesce(d.first_at, e.first_at) as first_at, coalesce(d.last_at, e.last_at) as last_at,
    cost_severity(e.missing_s, 0, 0) as severity,
    format('{} ended without a scale-down or a rollout', counted(e.removed::bigint, 'pod')) as verdict,
    json_object('pods', e.removed, 'short_pod_seconds', e.missing_s) as evidence,
    'look for evictions and drained nodes at these times: a PodDisruptionBudget, or slower consolidation' as next_step
from ended as e
left join ends as d using (hpa_uid)
anti join runs.rollouts as o on o.hpa_uid = e.hpa_uid
where e.removed >= greatest(e.wanted, 3);
