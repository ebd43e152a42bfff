-- Which was the last change of spec.replicas before this reconcile?
-- One row, none if no change was seen.
with before as (
    -- First which one it was, from a small table: the relation `changes` reads every reconcile.
    select r.reconcile_id, m.hpa_uid, m.scale_event_id, coalesce(m.actual_at_hi, m.predicted_at) as ts
    from reconciles as r
    join scale_event_matches as m
        on m.hpa_uid = r.hpa_uid
        and m.writer_class is not null
        and coalesce(m.actual_at_hi, m.predicted_at) < r.began_at
        -- Its own write is seen a moment before the status that tells of it.
        and m.reconcile_id is distinct from r.reconcile_id
    where r.reconcile_id in ($reconcile_ids)
    qualify row_number() over (partition by r.reconcile_id order by ts desc, m.scale_event_id desc) = 1
)
select b.reconcile_id, c.* exclude (reconcile_id), epoch_us(c.ts) as at_us,
    epoch_us(c.written_after) as after_us
from before as b
join changes as c
    on c.hpa_uid = b.hpa_uid
    and c.ts = b.ts
    and c.scale_event_id is not distinct from b.scale_event_id
order by b.reconcile_id;
