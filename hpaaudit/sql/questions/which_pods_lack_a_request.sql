-- Which pods have a container without the request that a utilization needs, and since when?
-- One row per HPA, resource and pod of its target. Of an HPA without a target in percent of a request there is none.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   resource: cpu or memory
--   pod: the pod
--   containers: its containers without this request
--   created_at: since when the pod exists
--   deleted_at: when it was gone; NULL where its end was not seen
with asked as (
    select distinct hpa_uid, metric_name as resource
    from metric_proposals
    where metric_type = 'Resource' and target_type = 'Utilization'
), lacking as (
    unpivot (
        select
            pod_uid,
            array_to_string(nullif(without_cpu_request, []), ', ') as cpu,
            array_to_string(nullif(without_memory_request, []), ', ') as memory
        from pods
    )
    on cpu, memory
    into name resource value containers
)
select h.namespace, h.name, l.resource, h.pod, l.containers, h.created_at, h.deleted_at
from hpa_pods as h
join lacking as l using (pod_uid)
join asked as a on a.hpa_uid = h.hpa_uid and a.resource = l.resource
where h.namespace || '/' || h.name like $hpa
    and coalesce(h.created_at, h.seen_at) <= $until
    and coalesce(h.deleted_at, $until) >= $since
order by h.namespace, h.name, l.resource, h.created_at, h.pod;
