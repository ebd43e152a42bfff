-- What did this reconcile read, decide and cause?
-- One row.
select
    r.*, epoch_us(r.ts) as at_us, p.path, p.release,
    epoch_us(o.started_at) as started_us, epoch_us(o.ended_at) as ended_us
from reconciles as r
join replays as p using (replay_id)
join recordings as o using (replay_id)
where r.reconcile_id in ($reconcile_ids)
order by r.ts, r.reconcile_id;
