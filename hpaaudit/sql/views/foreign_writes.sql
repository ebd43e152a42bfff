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
--   since: when the former number was seen last, where nobody looked until `ts` and several may have written; else NULL
--   may_be_hpa: nobody saw who wrote, and what the HPA did then is not known either, or it wanted that number: it may have written it itself
--   restored_at: when the HPA undid it, NULL: not before the recording ended, or somebody else did
--   restored_to: what the HPA wrote then
--   undone_at: when somebody other than the HPA undid it, NULL: nobody did, or the HPA before
--   undone_to: what that writer wrote
--   undone_after: that was written after this, and not after `undone_at`
--   undone_by: the name of that writer, empty where unknown
--   answered_at: when the HPA scaled next, NULL: it did not
--   answered_to: what the HPA wrote then
--   released_at: when the HPA scaled this target no more, because it was deleted or got another one, or because the target was gone; NULL: not before the recording ended
--   is_deleted: it was deleted then
--   at_lo: it was written after this, and not after `ts`
--   is_remade: the target was deleted and made again, with another number
--   is_gone: the target was gone at `released_at`
create view main.foreign_writes as
with writes as (
    select w.*, t.target_kind, t.target_name
    from main.scale_events as w
    asof left join main.hpa_specs as t on t.hpa_uid = w.hpa_uid and w.at_hi >= t.valid_from
    where w.source = 'actual'
        and w.writer_class <> 'hpa'
), released as (
    select
        w.hpa_uid, w.scale_event_id,
        least(min(t.valid_from), min(h.deleted_at), min(g.gone_at)) as released_at,
        coalesce(released_at = min(h.deleted_at), false) as is_deleted,
        coalesce(released_at = min(g.gone_at), false) and not is_deleted as is_gone
    from writes as w
    left join main.scale_states as g on g.hpa_uid = w.hpa_uid and g.gone_at > w.at_hi
    left join main.hpas as h on h.hpa_uid = w.hpa_uid and h.deleted_at > w.at_hi
    left join main.hpa_specs as t
        on t.hpa_uid = w.hpa_uid
        and t.valid_from > w.at_hi
        and (t.target_kind, t.target_name) is distinct from (w.target_kind, w.target_name)
    group by w.hpa_uid, w.scale_event_id
), undone as (
    -- The first change by anybody that brings the former number back, while the HPA scales the target.
    select
        w.* exclude (target_kind, target_name), r.released_at, r.is_deleted, r.is_gone,
        arg_min(
            {
                'at': later.at_hi, 'after': later.at_lo, 'replicas': later.to_replicas,
                'is_hpa': later.writer_class = 'hpa', 'who': later.writer_name
            },
            (later.at_hi, later.scale_event_id)
        ) filter (
            if(w.to_replicas < w.from_replicas, later.to_replicas >= w.from_replicas, later.to_replicas <= w.from_replicas)
        ) as undoing,
        arg_min(
            {'at': later.at_hi, 'replicas': later.to_replicas},
            (later.at_hi, later.scale_event_id)
        ) filter (later.writer_class = 'hpa') as answer
    from writes as w
    join released as r using (hpa_uid, scale_event_id)
    left join main.scale_events as later
        on later.hpa_uid = w.hpa_uid
        and later.source = 'actual'
        and (later.at_hi, later.scale_event_id) > (w.at_hi, w.scale_event_id)
        and later.at_hi < coalesce(r.released_at, 'infinity')
    group by all
)
select
    replay_id, hpa_uid, namespace, name, scale_event_id, reconcile_id,
    at_hi as ts,
    writer_class, writer_name, evidence_level, from_replicas, to_replicas,
    if(evidence_level = 'gap', at_lo, null) as since,
    writer_class = 'unknown'
    -- An HPA makes no target.
    and not is_remade
    and coalesce(evidence_level = 'gap' or decided.verdict = 'undecidable' or decided.desired = to_replicas, false)
        as may_be_hpa,
    if(undoing.is_hpa, undoing.at, null) as restored_at,
    if(undoing.is_hpa, undoing.replicas, null) as restored_to,
    if(undoing.is_hpa, null, undoing.at) as undone_at,
    if(undoing.is_hpa, null, undoing.replicas) as undone_to,
    if(undoing.is_hpa, null, undoing.after) as undone_after,
    if(undoing.is_hpa, null, undoing.who) as undone_by,
    answer.at as answered_at,
    answer.replicas as answered_to,
    released_at, is_deleted, at_lo, is_remade, is_gone
from undone
left join (select reconcile_id, verdict, desired from main.reconciles) as decided using (reconcile_id)
-- A replay with --since or --until shows what lies between, and what explains a reconcile between.
where (
    at_hi between (select started_at from main.recordings) and (select ended_at from main.recordings)
    or decided.verdict is not null
);
