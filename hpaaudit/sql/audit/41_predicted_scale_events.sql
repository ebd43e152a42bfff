-- When should spec.replicas have changed, according to the replay?
-- One row per reconcile that scales and whose last attempt to write was not refused, as in runs.scale_events.
insert into runs.scale_events by name
with refused as (
    select reconcile_id
    from runs.predicted_writes
    group by reconcile_id
    having arg_max(http_status, seq) not between 200 and 299
)
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    (select coalesce(max(scale_event_id), 0) from runs.scale_events) + row_number() over (order by h.hpa, r.ts)
        as scale_event_id,
    'predicted' as source,
    r.ts as at_lo,
    r.ts as at_hi,
    r.spec_replicas as from_replicas,
    r.desired as to_replicas,
    'hpa' as writer_class,
    'horizontal-pod-autoscaler' as writer_name,
    'replay' as evidence_level,
    false as is_remade,
    r.reconcile_id
from staged.replayed as r
join replayed_hpas as h on h.place = r.object
anti join refused using (reconcile_id)
where getvariable('texts').action[r.action + 1] <> 'hold'
order by h.hpa, r.ts;
