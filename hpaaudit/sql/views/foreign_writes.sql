-- Who besides the HPA wrote spec.replicas, and when did the HPA restore the former number?
-- One row per actual change by another writer.
-- Columns:
--   scale_event_id: of `scale_events`
--   reconcile_id: the reconcile before it
--   ts: when it was seen
--   writer_class: as in `scale_events`
--   writer_name: as in `scale_events`
--   evidence_level: as in `scale_events`
--   from_replicas: before
--   to_replicas: after
--   restored_at: when the HPA first undid it, NULL: not before the recording ended
--   restored_to: what the HPA wrote then
create view main.foreign_writes as
select
    w.replay_id, w.hpa_uid, w.namespace, w.name, w.scale_event_id, w.reconcile_id,
    w.at_hi as ts,
    w.writer_class, w.writer_name, w.evidence_level, w.from_replicas, w.to_replicas,
    min(later.at_hi) as restored_at,
    arg_min(later.to_replicas, (later.at_hi, later.scale_event_id)) as restored_to
from main.scale_events as w
left join main.scale_events as later
    on later.hpa_uid = w.hpa_uid
    and later.source = 'actual'
    and later.writer_class = 'hpa'
    and later.at_hi > w.at_hi
    and case
        when w.to_replicas < w.from_replicas then later.to_replicas >= w.from_replicas
        else later.to_replicas <= w.from_replicas
    end
where w.source = 'actual'
    and w.writer_class <> 'hpa'
    -- A replay with --since or --until shows what lies between, and what explains a reconcile between.
    and (
        w.at_hi between (select started_at from main.recordings) and (select ended_at from main.recordings)
        or w.reconcile_id in (select reconcile_id from main.reconciles)
    )
group by all;
