-- What did each metric of some HPAs measure over time, as columns?
-- One row per metric, with lists over all reconciles of its HPA in the order of time. NULL: not measured, or not in the
-- spec at that time. The tolerances are the largest ones; where a side was never asked for, it is that of the other one,
-- unless a behavior has a tolerance of its own.
with named as (
    select
        namespace, name, reconcile_id, metric_label, target_type, metric_idx, tolerance, ratio, target,
        -- Over no pods Go makes the least integer of an average, which is no value of the metric.
        -- Until 1.5 a custom metric is divided by its target at once: only the ratio is known.
        coalesce(
            if(target_type = 'Utilization', current_utilization, nullif(current_milli, -9223372036854775808)),
            if(isfinite(ratio), cast(round(ratio * target) as bigint), null)
        ) as value
    from metric_proposals
    where namespace || '/' || name in (select unnest($hpas))
), metrics as (
    select namespace, name, metric_label, target_type, min(metric_idx) as first_idx,
        max(tolerance) as tolerance,
        max(tolerance) filter (ratio < 1) as below,
        max(tolerance) filter (ratio > 1) as above,
        (namespace, name) in (select (namespace, name) from hpa_specs where contains(behavior::varchar, '"tolerance"')) as is_own
    from named
    group by namespace, name, metric_label, target_type
), joined as (
    select m.*, r.ts, r.reconcile_id, n.value, n.target
    from reconciles as r
    join metrics as m using (namespace, name)
    left join named as n
        on n.reconcile_id = r.reconcile_id and n.metric_label = m.metric_label
        and n.target_type is not distinct from m.target_type
)
select
    namespace, name, metric_label, coalesce(target_type, '') as target_type,
    any_value(coalesce(below, if(is_own, null, tolerance))) as tolerance_down,
    any_value(coalesce(above, if(is_own, null, tolerance))) as tolerance_up,
    list(value order by ts, reconcile_id) as values,
    list(target order by ts, reconcile_id) as targets
from joined
group by namespace, name, metric_label, target_type
order by namespace, name, min(first_idx), metric_label, target_type;
