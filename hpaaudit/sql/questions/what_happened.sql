-- What happened, in one timeline: writes of replicas, Events, rollouts, changes of the spec, gaps, divergences?
-- One row per thing that happened.
with timeline as (
    select
        at_hi as ts, namespace, name,
        'replicas ' || from_replicas || ' -> ' || to_replicas as what,
        writer_class || coalesce(': ' || nullif(writer_name, ''), '') as detail
    from scale_events
    where source = 'actual'
    union all
    select observed_at, namespace, name, reason, message
    from k8s_events
    where kind = 'HorizontalPodAutoscaler'
    union all
    select started_at, namespace, name, 'rollout', revision
    from rollouts
    union all
    select valid_from, namespace, name, 'spec changed', writer_manager
    from hpa_specs as s
    where valid_from > (select min(f.valid_from) from hpa_specs as f where f.hpa_uid = s.hpa_uid)
    union all
    select g.gap_from, h.namespace, h.name, 'gap until ' || strftime(g.gap_to, '%H:%M:%SZ'), g.stream || ': ' || g.cause
    from coverage_gaps as g
    join hpas as h
        on exists (
            select 1
            from hpa_specs as a
            where a.hpa_uid = h.hpa_uid and gap_hides(g.prefix, h.namespace, metric_names(a.metrics))
        )
    union all
    select opened_at, namespace, name, 'divergence ' || class, explanation
    from divergences
    where class not like 'no_data.%'
)
select ts, namespace, name, what, detail
from timeline
where namespace || '/' || name like $hpa
    and ts between $since and $until
order by ts, namespace, name, what;
