-- Which pods of other workloads does the selector of an HPA's target match?
-- One row per HPA and owner. Only pods that a reconcile counted, and whose pods were kept (--detail pods keeps all).
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   owner_kind: the kind of the pods' owner; empty without one
--   owner_name: its name
--   pods: how many different pods
--   pod_reconciles: the same pod counts once for each reconcile and metric
--   example: one of the pods
with counted as (
    select hpa_uid, namespace, name, pod_uid, count(*) as times
    from reconcile_pods
    where namespace || '/' || name like $hpa
    group by hpa_uid, namespace, name, pod_uid
)
select
    c.namespace, c.name, p.owner_kind, p.owner_name,
    count(*) as pods,
    sum(c.times)::bigint as pod_reconciles,
    min(p.name) as example
from counted as c
join pods as p using (pod_uid)
where not exists (select 1 from hpa_pods as h where h.hpa_uid = c.hpa_uid and h.pod_uid = c.pod_uid)
    -- If no pod names its owner, as in some captures, nothing can be said.
    and exists (select 1 from hpa_pods as h where h.hpa_uid = c.hpa_uid)
group by c.hpa_uid, c.namespace, c.name, p.owner_kind, p.owner_name
order by pods desc, c.namespace, c.name, p.owner_kind, p.owner_name, c.hpa_uid;
