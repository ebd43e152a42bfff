-- What is the usual distance of two reconciles?
-- One row: the median, our measure of the sync period; 15 s where there are no two.
-- Counted before it is sorted: a fleet has few different distances, and median() keeps every one.
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
