-- Which HPAs were limited by maxReplicas although metrics asked for more, for how long, and how many pods were missing?
-- One row per HPA. Pods that only an earlier recommendation asked for are not counted.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reconciles: reconciles that maxReplicas limited
--   minutes: how long they lasted together, each until the next one or until somebody else wrote
--   wanted: what the metrics asked for where the most pods were missing
--   max_replicas: maxReplicas at that time
--   pod_seconds_missing: pods that the metrics asked for beyond maxReplicas, times the seconds
select
    r.namespace, r.name,
    count(*) as reconciles,
    round(sum(coalesce(w.stood_s, r.lasted_s)) / 60, 1) as minutes,
    arg_max(r.raw_desired, (r.raw_desired::bigint - r.max_replicas, r.ts)) as wanted,
    arg_max(r.max_replicas, (r.raw_desired::bigint - r.max_replicas, r.ts)) as max_replicas,
    round(sum((r.raw_desired::bigint - r.max_replicas) * coalesce(w.stood_s, r.lasted_s))) as pod_seconds_missing
from reconciles as r
left join interruptions as w using (reconcile_id)
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and pinned_at_maximum(r.reason_code, r.raw_desired, r.desired, r.max_replicas, r.limited_reason)
    and has_inputs(r.class)
group by r.hpa_uid, r.namespace, r.name
order by pod_seconds_missing desc, r.namespace, r.name, r.hpa_uid;
