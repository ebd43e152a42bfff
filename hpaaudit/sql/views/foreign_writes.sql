-- Who else wrote spec.replicas, and how long did it take until the former number stood again?
-- One row per actual change that is not the HPA's own. restored_at: when at least (or, after a raise, at most) as many
-- replicas as before were asked for again; NULL where they never were.
create view main.foreign_writes as
select
    w.replay_id, w.hpa_uid, w.namespace, w.name, w.reconcile_id,
    w.at_hi as ts,
    w.writer_class, w.writer_name, w.evidence_level, w.from_replicas, w.to_replicas,
    (
        select min(later.at_hi)
        from main.scale_events as later
        where later.hpa_uid = w.hpa_uid
            and later.source = 'actual'
            and later.at_hi > w.at_hi
            and case
                when w.to_replicas < w.from_replicas then later.to_replicas >= w.from_replicas
                else later.to_replicas <= w.from_replicas
            end
    ) as restored_at
from main.scale_events as w
where w.source = 'actual' and w.writer_class <> 'hpa';
