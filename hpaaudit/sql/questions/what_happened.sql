-- What happened, in one timeline: writes of replicas, Events, rollouts, spec changes, gaps, divergences?
-- One row per occurrence. Warnings about the target, its ReplicaSets and its pods (recognized by their generated names,
-- which have no vowels) have one row per reason and kind, at the time of the first within
-- this time. A gap or a divergence that began before $since and lasted until then has its row too.
-- Asked: What happened?
-- Columns:
--   ts: when it was seen
--   namespace: the HPA's namespace
--   name: the HPA's name
--   what: what happened: a change of replicas, the reason of an Event, a rollout, a gap, a divergence
--   detail: who wrote, and after what time where nobody saw it being written; the message of the Event, the revision, or the cause
with timeline as (
    select
        at_hi as ts, null::timestamp as until, namespace, name,
        'replicas ' || from_replicas || ' -> ' || to_replicas as what,
        writer_class || coalesce(': ' || nullif(writer_name, ''), '')
        || coalesce(', after ' || time_beside(written_after(at_lo, at_hi), at_hi), '') as detail,
        scale_event_id as place
    from scale_events
    where source = 'actual'
    union all
    select observed_at, null, namespace, name, reason, message, 0
    from k8s_events
    where kind = 'HorizontalPodAutoscaler'
    union all
    select
        min(e.observed_at), null, t.namespace, t.name, e.reason,
        e.kind || ' ' || first(e.name || ': ' || e.message order by e.observed_at, e.name)
        || case when count(*) > 1 then ' (' || count(*) - 1 || ' more)' else '' end,
        0
    from (select distinct namespace, name, target_kind, target_name from hpa_specs) as t
    join k8s_events as e
        on e.namespace = t.namespace
        and (
            (e.kind = t.target_kind and e.name = t.target_name)
            or (
                e.kind in ('ReplicaSet', 'Pod')
                and starts_with(e.name, t.target_name)
                and regexp_full_match(substr(e.name, length(t.target_name) + 1), '(-[b-df-hj-np-tv-xz0-9]+){1,2}')
                and (e.kind = 'Pod' or not contains(substr(e.name, length(t.target_name) + 2), '-'))
            )
        )
    where e.type = 'Warning' and e.observed_at between $since and $until
    group by t.namespace, t.name, e.kind, e.reason
    union all
    select started_at, null, namespace, name, 'rollout', revision, 0
    from rollouts
    union all
    select valid_from, null, namespace, name, 'spec changed', writer_manager, 0
    from hpa_specs as s
    where valid_from > (select min(f.valid_from) from hpa_specs as f where f.hpa_uid = s.hpa_uid)
    union all
    select g.gap_from, g.gap_to, h.namespace, h.name, 'gap until ' || time_beside(g.gap_to, g.gap_from), g.stream || ': ' || g.cause, 0
    from coverage_gaps as g
    join hpas as h
        on exists (
            select 1
            from hpa_specs as a
            where a.hpa_uid = h.hpa_uid
                and gap_hides(g.prefix, h.namespace, metric_names(a.metrics))
                and gap_of_object(g.prefix, h.name, a.target_name)
        )
    union all
    select opened_at, coalesce(closed_at, 'infinity'), namespace, name, 'divergence ' || class, explanation, 0
    from divergences
    where class not like 'no_data.%'
)
select ts, namespace, name, what, detail
from timeline
where namespace || '/' || name like $hpa
    and (ts between $since and $until or ts < $since and until > $since)
-- Of changes at one time each begins with the number that the one before it left.
order by ts, namespace, name, if(place > 0, 'replicas', what), place, what, detail;
