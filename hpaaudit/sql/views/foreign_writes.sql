-- Who besides the HPA wrote spec.replicas, and when did the HPA restore the former number?
-- One row per actual change by another writer. restored_at, restored_to: the HPA's first later write that undoes it, that
-- is, sets at least (after an increase: at most) the former number. NULL if there is none.
create view main.foreign_writes as
select
    w.replay_id, w.hpa_uid, w.namespace, w.name, w.reconcile_id,
    w.at_hi as ts,
    w.writer_class, w.writer_name, w.evidence_level, w.from_replicas, w.to_replicas,
    min(later.at_hi) as restored_at,
    arg_min(later.to_replicas, later.at_hi) as restored_to
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
