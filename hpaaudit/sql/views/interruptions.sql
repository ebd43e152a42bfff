-- After which reconciles did somebody else write the replicas before the next one?
-- One row per such reconcile.
-- Columns:
--   reconcile_id: the reconcile before the write
--   written_at: when the first such write was seen
--   stood_s: seconds for which the number stood that this reconcile left, in place of `lasted_s` of `reconciles`
create view main.interruptions as
select
    r.replay_id, r.reconcile_id, w.written_at,
    stood_s(r.ts, r.lasted_s, w.written_at) as stood_s
from (
    select reconcile_id, min(at_hi) as written_at
    from main.scale_events
    where source = 'actual' and writer_class <> 'hpa' and reconcile_id is not null
    group by reconcile_id
) as w
join main.reconciles as r using (reconcile_id);
