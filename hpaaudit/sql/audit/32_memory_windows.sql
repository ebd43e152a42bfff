-- How long does the memory of each HPA count at most?
-- One row per HPA: its longest stabilization window or policy period, and a sync period more. A behavior without a window for
-- scaling down has that of the flag. In autoscaling/v1 both lists are annotations: an hour is the most.
create temp table memory_windows as
select
    h.hpa,
    to_seconds(max(greatest(
        if(s.metrics is null, 3600, null),
        scale_down_window(s.behavior, f.seconds),
        try_cast(s.behavior ->> '$.scaleUp.stabilizationWindowSeconds' as double),
        list_max((s.behavior -> '$.scaleDown.policies[*].periodSeconds')::double[]),
        list_max((s.behavior -> '$.scaleUp.policies[*].periodSeconds')::double[])
    ))) + any_value(y.sync) as longest
from replayed_hpas as h
left join runs.hpa_specs as s using (hpa_uid)
cross join sync as y
cross join (
    select max(try_cast(rtrim(value, 's') as double)) as seconds
    from runs.assumptions
    where key = 'downscale-stabilization' or starts_with(key, 'downscale-stabilization from ')
) as f
group by h.hpa;
