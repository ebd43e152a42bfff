-- Which pods of other workloads does the selector of an HPA's target match?
-- One row per HPA and owner. All reconciles count. What cannot be said has a row with pods NULL.
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   owner_kind: the kind of the pods' owner; empty without one
--   owner_name: its name
--   pods: how many different pods
--   pod_reconciles: the same pod counts once for each reconcile and metric
--   example: one of the pods
--   missing: what would tell, where it is unknown whose pods were counted
with counted as (
    select c.hpa_uid, c.namespace, c.name, c.pod_uid, count(*) as times, any_value(c.pod) as pod
    from reconcile_pods as c
    where c.namespace || '/' || c.name like $hpa
    group by c.hpa_uid, c.namespace, c.name, c.pod_uid
), own as (
    select distinct hpa_uid from hpa_pods
), foreign_pods as (
    select
        c.hpa_uid, c.namespace, c.name, p.owner_kind, p.owner_name,
        count(*) as pods, sum(c.times)::bigint as pod_reconciles, min(p.name) as example, '' as missing
    from counted as c
    join pods as p using (pod_uid)
    semi join own on own.hpa_uid = c.hpa_uid
    anti join hpa_pods as h on h.hpa_uid = c.hpa_uid and h.pod_uid = c.pod_uid
    group by c.hpa_uid, c.namespace, c.name, p.owner_kind, p.owner_name
), without_owners as (
    -- As in some captures.
    select
        c.hpa_uid, c.namespace, c.name,
        sum(c.times)::bigint as pod_reconciles, min(c.pod) as example,
        'the owners of its pods: no recorded pod names the target as its owner' as missing
    from counted as c
    anti join own on own.hpa_uid = c.hpa_uid
    group by c.hpa_uid, c.namespace, c.name
), unkept as (
    select
        p.hpa_uid, p.namespace, p.name,
        sum(p.ready_pods + p.unready_pods + p.missing_pods + p.ignored_pods)::bigint as pod_reconciles,
        format(
            'pods that were not kept: hpaaudit replay {}{} --detail pods',
            pasteable((select path from replays)), (select coalesce(' ' || nullif(options, ''), '') from replays)
        ) as missing
    from metric_proposals as p
    anti join reconcile_pods as k on k.reconcile_id = p.reconcile_id
    where p.namespace || '/' || p.name like $hpa
    group by p.hpa_uid, p.namespace, p.name
    having pod_reconciles > 0
)
select namespace, name, owner_kind, owner_name, pods, pod_reconciles, example, missing
from (
    from foreign_pods
    union all by name
    from without_owners
    union all by name
    from unkept
)
order by pods desc nulls last, namespace, name, owner_kind, owner_name, missing, hpa_uid;
