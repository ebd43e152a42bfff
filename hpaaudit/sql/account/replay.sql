-- What was replayed, as which release, and what was not observed?
-- One row.
select
    p.path, p.release, epoch_us(r.started_at) as started_us, epoch_us(r.ended_at) as ended_us,
    (select list((stream, seconds) order by stream) from gap_time) as gaps
from replays as p
join recordings as r using (replay_id);
