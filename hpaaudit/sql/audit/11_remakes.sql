-- When was the target of each HPA made again, after it had been deleted?
-- One row per HPA and time. What was seen before is another object.
create temp table remakes as
select hpa_uid, observed_at
from runs.scale_states
qualify unchanged_at is null and row_number() over (partition by hpa_uid, target_since order by seq) > 1;
