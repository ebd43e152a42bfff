-- How did spec.replicas move, who moved it, and what do controller and replay say to it?
-- One row per actual change, and per predicted one that did not happen (writer_class is NULL there).
-- reason_code and metric are those of the reconcile before it; class, severity and confidence of its divergence, unless
-- this change itself is the one that was predicted.
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
    p.metric_name, p.target_type, p.target, p.current_utilization, p.current_milli,
    d.class, d.severity, d.confidence
from main.scale_event_matches as m
left join main.reconciles as r using (reconcile_id)
left join main.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
left join main.divergences as d on d.divergence_id = r.divergence_id and m.verdict <> 'match';
