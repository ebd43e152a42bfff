-- Which HPAs were limited by maxReplicas, for how long, and how many pods were missing?
-- One row per HPA. pod_seconds_missing: the pods that metrics asked for beyond maxReplicas, times the seconds.
select
    namespace, name,
    count(*) as reconciles,
    round(sum(lasted_s) / 60, 1) as minutes,
    max(raw_desired) as wanted,
    max(max_replicas) as max_replicas,
    round(sum((raw_desired::bigint - max_replicas) * lasted_s)) as pod_seconds_missing
from reconciles
where namespace || '/' || name like $hpa
    and ts between $since and $until
    and reason_code = 'bound.max'
group by namespace, name
order by pod_seconds_missing desc, namespace, name;
