-- Which HPAs were limited by maxReplicas although metrics asked for more, for how long, and how many pods were missing?
-- One row per HPA. pod_seconds_missing: the pods that metrics asked for beyond maxReplicas, times the seconds. What only
-- memory asked for is not counted. wanted and max_replicas: where the most pods were missing.
select
    namespace, name,
    count(*) as reconciles,
    round(sum(lasted_s) / 60, 1) as minutes,
    arg_max(raw_desired, raw_desired::bigint - max_replicas) as wanted,
    arg_max(max_replicas, raw_desired::bigint - max_replicas) as max_replicas,
    round(sum((raw_desired::bigint - max_replicas) * lasted_s)) as pod_seconds_missing
from reconciles
where namespace || '/' || name like $hpa
    and ts between $since and $until
    and reason_code = 'bound.max'
    and raw_desired > max_replicas
group by namespace, name
order by pod_seconds_missing desc, namespace, name;
