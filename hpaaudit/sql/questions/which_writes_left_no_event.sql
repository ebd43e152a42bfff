-- Which of the HPA's own writes left no Event?
-- One row per change of the replicas by the HPA without an Event SuccessfulRescale of that size at that time.
-- The controller's client drops Events of an object that has many, so that a missing Event proves nothing.
-- Asked: Was the controller well?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the replicas changed
--   from_replicas: from
--   to_replicas: to
--   evidence_level: how the writer is known: audit, managed_fields, decision, gap or none
--   warnings: Warnings about this HPA in the hour before, which use up what the client sends
with lost as (
    select hpa_uid, namespace, name, ts, scale_event_id
    from reports
    where class = 'report.event_lost'
        and namespace || '/' || name like $hpa
        and ts between $since and $until
), warned as (
    select l.scale_event_id, count(*) as warnings
    from lost as l
    join k8s_events as e
        on e.namespace = l.namespace
        and e.name = l.name
        and e.observed_at between l.ts - interval 1 hour and l.ts
    where e.kind = 'HorizontalPodAutoscaler' and e.type = 'Warning'
    group by l.scale_event_id
)
select
    l.namespace, l.name, l.ts, s.from_replicas, s.to_replicas, s.evidence_level,
    coalesce(w.warnings, 0) as warnings
from lost as l
join scale_events as s using (scale_event_id)
left join warned as w using (scale_event_id)
order by l.ts, l.namespace, l.name;
