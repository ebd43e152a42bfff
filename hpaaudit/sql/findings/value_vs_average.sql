-- Which HPAs ran away to their maximum, because a total was given as target of type Value?
-- One row per HPA. Scale-ups from at least three sizes by one such metric, which did not fall by a tenth from the first to the last; nobody
-- lowered the replicas meanwhile.
-- Needs: External Object
with measured as (
    select
        *,
        is_raised and is_winner and ratio > 1 as is_step,
        -- It may have fallen after a scale-up, and risen again before the next: every reading counts.
        lag(ratio) over one as ratio_before,
        coalesce(spec_replicas < lag(spec_replicas) over one, false) as is_lowered
    from readings
    where metric_type in ('External', 'Object') and target_type = 'Value' and valid
    window one as (partition by hpa_uid, metric_idx, metric order by ts, reconcile_id)
), stretches as (
    select
        *,
        sum(is_lowered::integer) over (partition by hpa_uid, metric_idx, metric order by ts, reconcile_id) as stretch
    from measured
), runs_up as (
    select
        *,
        min(ts) filter (is_step) over one as first_at,
        max(ts) filter (is_step) over one as last_at
    from stretches
    window one as (partition by hpa_uid, metric_idx, metric, stretch)
), climbs as (
    select
        hpa_uid, metric_idx, metric_label, first_at, last_at, count(*) filter (is_step) as steps,
        arg_min(ratio, ts) as first_ratio, arg_max(ratio, ts) as last_ratio, min(ratio) as least_ratio,
        arg_min(spec_replicas, ts) as first_replicas, arg_max(desired, ts) as last_replicas
    from runs_up
    where ts between first_at and last_at
    group by hpa_uid, metric_idx, metric, metric_label, stretch, first_at, last_at
    -- A load that grows looks the same, but for so many sizes in a row that is rare.
    having count(distinct spec_replicas) filter (is_step) >= 3
        and arg_max(desired, ts) >= arg_max(max_replicas, ts)
        and count(*) filter (ts > runs_up.first_at and ratio < 0.9 * ratio_before) = 0
        -- Nor may it fall little by little.
        and least_ratio >= 0.9 * first_ratio
)
select
    hpa_uid, first_at, last_at, 'high' as severity,
    format(
        '{} has a target of type Value, and {} while {} raised {} to {} replicas', metric_label,
        if(
            least_ratio >= first_ratio, 'did not fall',
            format('fell only from {:.4g} to {:.4g} times its target', first_ratio, least_ratio)
        ),
        counted(steps, 'scale-up'), first_replicas, last_replicas
    ) as verdict,
    json_object(
        'metric', metric_label, 'steps', steps, 'first_ratio', first_ratio, 'last_ratio', last_ratio,
        'from', first_replicas, 'to', last_replicas
    ) as evidence,
    'use the type AverageValue for a total, such as the length of a queue' as next_step
from climbs
qualify row_number() over (partition by hpa_uid order by steps desc, first_at, metric_idx) = 1;
