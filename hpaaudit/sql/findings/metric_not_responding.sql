-- Which HPAs scale by a metric per pod that does not fall when pods are added?
-- One row per HPA. Scale-ups from at least three sizes that doubled the pods, while the metric of every pod stayed as high;
-- no policy limited them, and nobody lowered the replicas meanwhile.
-- Needs: scale_up.from_three_numbers
with measured as not materialized (
    select
        hpa_uid, metric_idx, metric, metric_label, ts, reconcile_id, spec_replicas, desired, ratio,
        action = 'scale_up' and desired < least(raw_desired, max_replicas) as is_limited,
        is_raised and is_winner and ratio > 1 and adjust_code = 'adjust.none'
        and desired >= least(raw_desired, max_replicas) as is_step
    from readings
    -- AverageValue of one total for all pods is shared by them, by definition.
    where metric_type not in ('External', 'Object') and target_type in ('Utilization', 'AverageValue') and valid
), steps as (
    select *, coalesce(spec_replicas < lag(spec_replicas) over one, false) as is_lower
    from measured
    where is_step
    window one as (partition by hpa_uid, metric_idx, metric order by ts, reconcile_id)
), rises as (
    -- The steps between which no step is from fewer replicas than the one before. Only in these can a stretch double the pods:
    -- it spares sorting every reading.
    select hpa_uid, metric_idx, metric, min(ts) as first_at, max(ts) as last_at, row_number() over () as rise
    from (
        select *, sum(is_lower::integer) over (partition by hpa_uid, metric_idx, metric order by ts, reconcile_id) as nth
        from steps
    ) as s
    group by hpa_uid, metric_idx, metric, nth
    having count(distinct spec_replicas) >= 3 and max(spec_replicas) >= 2 * min(spec_replicas)
), compared as (
    select
        r.rise, m.* exclude (metric),
        lag(m.ratio) over one as ratio_before,
        -- A limited scale-up leaves the metric high whatever it is, and so does a load that was away in between.
        coalesce(m.spec_replicas < lag(m.spec_replicas) over one, false) or coalesce(lag(m.is_limited) over one, false) as is_new
    from measured as m
    join rises as r
        on r.hpa_uid = m.hpa_uid
        and r.metric_idx = m.metric_idx
        and r.metric is not distinct from m.metric
        and m.ts between r.first_at and r.last_at
    window one as (partition by r.rise order by m.ts, m.reconcile_id)
), stretches as (
    select *, sum(is_new::integer) over (partition by rise order by ts, reconcile_id) as stretch
    from compared
), runs_up as (
    select
        *,
        min(ts) filter (is_step) over one as first_at,
        max(ts) filter (is_step) over one as last_at
    from stretches
    window one as (partition by rise, stretch)
), climbs as (
    select
        hpa_uid, metric_idx, metric_label, first_at, last_at,
        count(*) filter (is_step) as steps,
        arg_min(ratio, ts) filter (is_step) as first_ratio, arg_max(ratio, ts) filter (is_step) as last_ratio,
        arg_min(spec_replicas, ts) filter (is_step) as first_replicas,
        arg_max(spec_replicas, ts) filter (is_step) as last_replicas, arg_max(desired, ts) filter (is_step) as reached
    from runs_up
    where ts between first_at and last_at
    group by hpa_uid, metric_idx, metric_label, rise, stretch, first_at, last_at
    -- A load that grows looks the same, but for so many sizes in a row that is rare.
    having count(distinct spec_replicas) filter (is_step) >= 3
        and last_replicas >= 2 * first_replicas
        and last_ratio >= 0.95 * first_ratio
        and count(*) filter (ts > runs_up.first_at and ratio < 0.9 * ratio_before) = 0
)
select
    hpa_uid, first_at, last_at, 'medium' as severity,
    format(
        '{} stood at {} of its target with {}, and at {} with {}', metric_label, round(first_ratio, 2),
        counted(first_replicas, 'replica'), round(last_ratio, 2), last_replicas
    ) as verdict,
    json_object(
        'metric', metric_label, 'steps', steps, 'first_ratio', first_ratio, 'last_ratio', last_ratio,
        'from', first_replicas, 'to', reached
    ) as evidence,
    'choose a metric that the pods share: memory and the latency of a dependency do not fall with more pods' as next_step
from climbs
qualify row_number() over (partition by hpa_uid order by steps desc, first_at, metric_idx) = 1;
