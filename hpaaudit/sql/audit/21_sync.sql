-- What is the usual distance of two reconciles?
-- One row: our measure of the sync period.
create temp table sync as
with typical as (
    select coalesce(median(epoch_us(next_ts) - epoch_us(ts)), 15000000)::bigint as sync_us
    from spans
)
select to_microseconds(sync_us) as sync, sync_us
from typical;
