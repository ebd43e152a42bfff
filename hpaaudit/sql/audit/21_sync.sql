-- What is the usual time between two reconciles?
-- One row: the median, as a measure of the sync period; 15 s if there are fewer than two reconciles.
-- Equal times are counted before they are sorted: a fleet has few different ones, and median() would keep every row.
create temp table sync as
with distances as (
    select epoch_us(next_ts) - epoch_us(ts) as us, count(*) as times
    from spans
    where next_ts is not null
    group by us
), ranked as (
    select us, sum(times) over (order by us) as upto, sum(times) over () as total
    from distances
), typical as (
    select
        coalesce(
            (min(us) filter (upto > (total - 1) // 2) + min(us) filter (upto > total // 2)) / 2,
            15000000
        )::bigint as sync_us
    from ranked
)
select to_microseconds(sync_us) as sync, sync_us
from typical;
