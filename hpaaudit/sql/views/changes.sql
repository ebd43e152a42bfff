-- When did spec.replicas change, who changed it, and what did controller and replay decide?
-- One row per actual change, and per predicted change that did not happen (writer_class is NULL). What is predicted for an
-- undecidable reconcile is no prediction.
-- Columns:
--   scale_event_id: as in `scale_event_matches`: settles the order of two changes at one time
--   reconcile_id: the reconcile before it
--   ts: when it was seen, or should have been; when its writer decided it, where an HPA's change was seen late
--   from_replicas: before
--   to_replicas: after
--   writer_class: as in `scale_events`; NULL where it did not happen
--   writer_name: as in `scale_events`
--   evidence_level: as in `scale_events`
--   shape: as in `scale_event_matches`
--   decided: what the controller said
--   replay: what the replay decided
--   reason_code: why
--   raw_desired: what the metrics asked for
--   stabilized: what earlier recommendations made of that
--   metric_name: of the metric that decided
--   metric_label: what screens call it
--   target_type: of that metric
--   target: of that metric
--   current_utilization: of that metric, in percent
--   current_milli: of that metric
--   class: of the divergence, NULL where this change was predicted, or is that of another writer than the divergence names
--   severity: of the divergence
--   confidence: of the divergence
--   tied_metrics: other metrics that asked for the same number as the winner
--   verdict: of the reconcile, as in `reconciles`
--   written_after: nobody saw it being written: it was after this, and not after ts; NULL: at ts
--   is_remade: the target was deleted and made again, with another number
create view main.changes as
select
    m.replay_id, m.hpa_uid, m.namespace, m.name, m.scale_event_id, m.reconcile_id,
    coalesce(m.actual_at_hi, m.predicted_at) as ts,
    m.from_replicas,
    coalesce(m.actual_to, m.predicted_to) as to_replicas,
    m.writer_class, m.writer_name, m.evidence_level, m.shape,
    r.decided,
    r.desired as replay,
    r.reason_code,
    r.raw_desired, r.stabilized,
    p.metric_name, p.metric_label, p.target_type, p.target, p.current_utilization, p.current_milli,
    d.class, d.severity, d.confidence,
    (
        select list(o.metric_label order by o.metric_idx)
        from main.metric_proposals as o
        where o.reconcile_id = r.reconcile_id and o.valid and not o.is_winner and o.proposal = p.proposal
    ) as tied_metrics,
    r.verdict,
    written_after(e.at_lo, e.at_hi) as written_after,
    coalesce(e.is_remade, false) as is_remade
from main.scale_event_matches as m
left join main.reconciles as r using (reconcile_id)
left join main.scale_events as e on e.scale_event_id = m.scale_event_id and e.source = 'actual'
left join main.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
left join main.divergences as d
    on d.divergence_id = r.divergence_id
    and m.verdict <> 'match'
    -- Of several that wrote between two reconciles it names one.
    and (
        not starts_with(d.class, 'external_write.')
        or coalesce(m.writer_class, 'hpa') = 'hpa'
        or d.class = class_of_writer(m.writer_class)
    )
where m.writer_class is not null or r.verdict is distinct from 'undecidable';
