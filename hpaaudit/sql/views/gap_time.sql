-- For how long was each stream not observed?
-- One row per stream with gaps. Overlapping gaps count once.
-- Columns:
--   stream: as in `coverage_gaps`
--   gaps: how many
--   seconds: seconds within the recording, overlaps counted once
create view main.gap_time as
with within as (
    select
        g.replay_id, g.stream,
        greatest(g.gap_from, r.started_at) as gap_from,
        least(g.gap_to, r.ended_at) as gap_to
    from main.coverage_gaps as g
    join main.recordings as r using (replay_id)
), ordered as (
    select
        *,
        max(gap_to) over (
            partition by stream
            order by gap_from, gap_to
            rows between unbounded preceding and 1 preceding
        ) as seen_to
    from within
    where gap_to > gap_from
)
select
    replay_id, stream,
    count(*) as gaps,
    sum(greatest(0, epoch_us(gap_to) - epoch_us(greatest(gap_from, coalesce(seen_to, gap_from))))) / 1e6 as seconds
from ordered
group by replay_id, stream;
