-- When did spec.replicas change, who changed it, and what did controller and replay decide?
-- One row per actual change, and per predicted change that did not happen (writer_class is NULL).
-- reason_code and metric belong to the reconcile before the change. tied_metrics asked for the same number as the metric. class, severity and confidence belong to its
-- divergence; they are NULL if this change was predicted.
create view main.changes as
select
    m.replay_id, m.hpa_uid, m.namespace, m.name, m.reconcile_id,
    coalesce(m.actual_at_hi, m.predicted_at) as ts,
    m.from_replicas,
    coalesce(m.actual_to, m.predicted_to) as to_replicas,
    m.writer_class, m.writer_name, m.evidence_level, m.shape,
    r.decided,
    r.desired as replay,
    r.reason_code,
    r.raw_desired, r.stabilized,
    p.metric_name, p.target_type, p.target, p.current_utilization, p.current_milli,
    d.class, d.severity, d.confidence,
    (
        select list(o.metric_name order by o.metric_idx)
        from main.metric_proposals as o
        where o.reconcile_id = r.reconcile_id and o.valid and not o.is_winner and o.proposal = p.proposal
    ) as tied_metrics
from main.scale_event_matches as m
left join main.reconciles as r using (reconcile_id)
left join main.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
left join main.divergences as d on d.divergence_id = r.divergence_id and m.verdict <> 'match';
