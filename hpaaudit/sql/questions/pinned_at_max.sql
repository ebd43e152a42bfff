-- Which HPAs were limited by maxReplicas although metrics asked for more, for how long, and how many pods were missing?
-- One row per HPA. Pods that only an earlier recommendation asked for are not counted.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reconciles: reconciles that maxReplicas limited
--   minutes: how long they lasted together
--   wanted: what the metrics asked for where the most pods were missing
--   max_replicas: maxReplicas at that time
--   pod_seconds_missing: pods that the metrics asked for beyond maxReplicas, times the seconds
select
    namespace, name,
    count(*) as reconciles,
    round(sum(lasted_s) / 60, 1) as minutes,
    arg_max(raw_desired, (raw_desired::bigint - max_replicas, ts)) as wanted,
    arg_max(max_replicas, (raw_desired::bigint - max_replicas, ts)) as max_replicas,
    round(sum((raw_desired::bigint - max_replicas) * lasted_s)) as pod_seconds_missing
from reconciles
where namespace || '/' || name like $hpa
    and ts between $since and $until
    and reason_code = 'bound.max'
    and raw_desired > max_replicas
group by namespace, name
order by pod_seconds_missing desc, namespace, name;
