-- When did the replicas of each HPA's target change, and when should they have?
-- One row per row of `changes`, with its times in microseconds, in the order of time.
select *, epoch_us(ts) as at_us, epoch_us(written_after) as after_us
from changes
order by ts, scale_event_id;
