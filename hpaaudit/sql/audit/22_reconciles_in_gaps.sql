-- Which reconciles of some HPAs does a gap concern?
-- One row per reconcile with a gap between one sync period before it and the next reconcile, as in reconciles_in_gaps.
-- An input that the recording does not hold at all is a gap from its beginning to its end.
-- Events, Leases and field managers are not inputs of a decision: their gaps do not count.
insert into reconciles_in_gaps by name
with gaps as (
    select
        g.stream, g.prefix, g.cause, g.gap_from, g.gap_to, g.gap_to + s.sync as blind_to,
        -- What a single reconcile did follows from the next status, unless another gap follows.
        g.gap_to - g.gap_from > 2 * s.sync
        or g.gap_to - g.gap_from > s.sync
        and (
            lag(g.gap_to) over one >= g.gap_from - interval 1 second
            or lead(g.gap_from) over one <= g.gap_to + interval 1 second
        ) as is_long,
        -- The earliest names the cause; of several that begin at one instant the first by name.
        row_number() over (order by g.gap_from, g.cause) as place
    from runs.coverage_gaps as g
    cross join sync as s
    where g.stream not in ('events', 'leases', 'api_services', 'scaled_objects', 'surroundings', 'writers')
    window one as (partition by g.prefix order by g.gap_from)
), hidden as (
    select
        s.reconcile_id, g.stream in ('everything', 'hpas') and g.gap_to >= s.began_at as hides_status,
        hides_status and g.is_long and g.gap_from <= s.began_at as hides_reconcile,
        -- Who lists the HPAs again some seconds after it shows a status of the gap as if it were written then.
        if(
            g.stream in ('everything', 'hpas') and g.is_long and g.gap_from < s.began_at
            and g.gap_to + interval 5 second >= s.began_at,
            g.gap_to, null
        ) as listed_after,
        g.stream in ('everything', 'targets') and g.is_long as hides_target,
        g.stream in ('everything', 'pods') and g.gap_to >= s.began_at as hides_pods,
        g.stream in ('everything', 'metrics') and g.gap_to >= s.began_at as hides_metrics,
        hides_pods and g.gap_from <= s.began_at and g.gap_to > s.began_at as lacks_pods,
        g.is_long, true as is_interrupted, false as is_unrecorded, g.cause, g.place
    from (from spans where hpa between $first and $last) as s
    -- Up to 1.5 the next reconcile may begin at the same instant.
    join gaps as g on g.gap_from < greatest(s.until, s.began_at + interval 1 microsecond) and g.blind_to > s.began_at
    join replayed_hpas as h on h.hpa = s.hpa
    left join runs.hpa_specs as a
        on a.hpa_uid = h.hpa_uid
        and a.valid_from < s.until
        and coalesce(a.valid_to > s.began_at, true)
    where gap_hides(g.prefix, h.namespace, metric_names(a.metrics))
        and gap_of_object(g.prefix, h.name, a.target_name)
    union all
    select
        s.reconcile_id, false as hides_status, false as hides_reconcile, null as listed_after,
        false as hides_target, false as hides_pods, false as hides_metrics, u.lacks_pods,
        false as is_long, false as is_interrupted, true as is_unrecorded, u.cause, 0 as place
    from (from spans where hpa between $first and $last) as s
    join (
        select hpa, min(cause) as cause, bool_or(lacks_pods) as lacks_pods
        from unrecorded
        group by hpa
    ) as u using (hpa)
)
select
    reconcile_id, bool_or(hides_status) as hides_status, bool_or(hides_reconcile) as hides_reconcile,
    max(listed_after) as listed_after,
    bool_or(hides_target) as hides_target, bool_or(hides_pods) as hides_pods,
    bool_or(hides_metrics) as hides_metrics, bool_or(lacks_pods) as lacks_pods,
    bool_or(is_long) as is_long, bool_or(is_interrupted) as is_interrupted, bool_or(is_unrecorded) as is_unrecorded,
    arg_min(cause, place) as cause
from hidden
group by reconcile_id;
