-- Which problems were found, and what should be done about them, worst first?
-- One row per HPA and pattern, and per HPA and class of divergence that no pattern covers.
-- Asked: What next?
-- Columns:
--   pattern: the pattern, or the class of the divergences
--   severity: critical, high, medium, low or info
--   namespace: the HPA's namespace
--   name: the HPA's name
--   first_at: when it was first seen
--   last_at: when it was last seen
--   verdict: what was found; of several divergences the worst, and how many more there are
--   next_step: what to do about it
with told as (
    select hpa_uid, pattern, severity, namespace, name, first_at, last_at, verdict, next_step
    from findings
), known as (
    select *
    from (values
        ('apply_resets_replicas', 'external_write.deploy_tool'),
        ('two_autoscalers', 'external_write.autoscaler'),
        ('keda_zero_edges', 'external_write.autoscaler'),
        ('keda_pause_race', 'external_write.autoscaler'),
        ('gitops_selfheal_loop', 'external_write.gitops'),
        ('operator_writes_back', 'external_write.operator'),
        ('progressive_delivery', 'external_write.operator'),
        ('admission_on_scale', 'write_mutated.admission'),
        ('admission_on_scale', 'write_failed.denied'),
        ('slow_or_missed_sync', 'not_run.missed_reconcile'),
        ('slow_or_missed_sync', 'not_run.controller_hung'),
        ('update_conflict', 'write_failed.conflict')
    ) as known(pattern, class)
), ranked as (
    select *, list_position(['critical', 'high', 'medium', 'low', 'info'], severity) as rank
    from divergences
    where severity <> 'info'
), incidents as (
    select
        hpa_uid, class as pattern,
        arg_min(severity, (rank, opened_at)) as severity,
        any_value(namespace) as namespace,
        any_value(name) as name,
        min(opened_at) as first_at,
        max(coalesce(closed_at, opened_at)) as last_at,
        arg_min(explanation, (rank, opened_at)) || case when count(*) > 1 then format(' (and {})', counted(count(*) - 1, 'more divergence')) else '' end as verdict,
        any_value(next_step) as next_step
    from ranked as d
    where not exists (
        select 1
        from told as t
        join known as k using (pattern)
        where t.hpa_uid = d.hpa_uid and k.class = d.class
    )
    group by hpa_uid, class
)
select pattern, severity, namespace, name, first_at, last_at, verdict, next_step
from (from told union all by name from incidents)
where namespace || '/' || name like $hpa
order by list_position(['critical', 'high', 'medium', 'low', 'info'], severity), first_at, namespace, name, pattern, hpa_uid;
