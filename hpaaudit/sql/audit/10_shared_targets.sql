-- When did two HPAs scale the same target?
-- One row per HPA, other HPA and time, once from each side. An HPA that was made anew is no other one. until: NULL: to the
-- end; is_from_start: both did before the recording began. One target may have a row for each time.
create temp table shared_targets as
select
    mine.hpa_uid, mine.target_kind, mine.target_name,
    o.hpa_uid as other_uid, o.namespace || '/' || o.name as other, o.name as other_name,
    greatest(mine.valid_from, o.valid_from) as since,
    -- NULL, to the end, counts in neither.
    least(mine.valid_to, o.valid_to) as until,
    mine.is_first and o.is_first as is_from_start
from tenures as mine
join tenures as o
    on o.namespace = mine.namespace
    and o.target = mine.target
    and o.name <> mine.name
    and o.valid_from < coalesce(mine.valid_to, 'infinity')
    and mine.valid_from < coalesce(o.valid_to, 'infinity');
