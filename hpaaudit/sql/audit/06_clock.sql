-- By how much do the clocks of recorder and API server differ, where nobody measured it?
-- Fills runs.recordings.clock_offset_ms. A condition has the time of the server at which it changed, and a watch shows it at
-- once. Who looks now and then sees it a while later, but not each time as much later; nobody sees it before.
update runs.recordings
set clock_offset_ms = -1000 * s.late_s
from (
    select median(late_s) as late_s, min(late_s) as least_s, max(late_s) as most_s, count(*) as changes
    from (
        select
            epoch(observed_at - last_transition_time) as late_s, last_transition_time,
            lag(last_transition_time) over (
                partition by hpa_uid, type order by observed_at, last_transition_time nulls first
            ) as before
        from runs.hpa_conditions
        where (select clock_offset_ms is null from runs.recordings)
    ) as c
    where last_transition_time > before
) as s
where clock_offset_ms is null
    and (s.most_s < -2 or s.changes >= 3 and s.least_s >= 60 and s.most_s - s.least_s <= 30);
