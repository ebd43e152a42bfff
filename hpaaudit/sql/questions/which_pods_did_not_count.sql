-- Which pods were not counted as ready, and why?
-- One row per HPA, bucket and cause. All reconciles count that took place with inputs that were recorded. Where their pods were not kept, why_code and pods are NULL.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   bucket: unready, missing or ignored
--   why_code: why the pods are in this bucket
--   pods: how many different pods
--   pod_reconciles: the same pod counts once for each reconcile and metric
--   missing: the command that keeps the pods, where they were not kept
with kept as (
    select p.namespace, p.name, p.bucket, p.why_code, p.pod, 1 as times, r.ts
    from reconcile_pods as p
    join reconciles as r using (reconcile_id)
    where has_inputs(r.class)
), numbers as (
    unpivot (
        select
            p.namespace, p.name, r.ts,
            p.unready_pods as unready, p.missing_pods as missing, p.ignored_pods as ignored
        from metric_proposals as p
        join reconciles as r using (reconcile_id)
        where has_inputs(r.class)
            and not exists (select 1 from reconcile_pods as k where k.reconcile_id = r.reconcile_id)
    )
    on unready, missing, ignored
    into name bucket value times
), counted as (
    from kept
    union all by name
    select * from numbers where times > 0
)
select
    namespace, name, bucket, why_code,
    nullif(count(distinct pod), 0) as pods,
    sum(times)::bigint as pod_reconciles,
    case when why_code is null then format(
        'their pods: hpaaudit replay {}{} --detail pods',
        pasteable((select path from replays)), (select coalesce(' ' || nullif(options, ''), '') from replays)
    ) else '' end as missing
from counted
where bucket <> 'ready'
    and namespace || '/' || name like $hpa
    and ts between $since and $until
group by namespace, name, bucket, why_code
order by pod_reconciles desc, namespace, name, bucket, why_code;
