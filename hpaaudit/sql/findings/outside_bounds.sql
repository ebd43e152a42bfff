-- Which targets were outside minReplicas and maxReplicas again and again?
-- One row per HPA: in at least three reconciles, which did not consult metrics.
-- Needs: bounds.outside_thrice
with consulted as (
    select *, lag(ts) over one as before, coalesce(starts_with(lag(class) over one, 'write_'), false) as is_refused
    from ran
    window one as (partition by hpa_uid order by ts, reconcile_id)
), specs as (
    select
        hpa_uid, valid_from, (min_replicas, max_replicas) as bounds,
        lag((min_replicas, max_replicas)) over (partition by hpa_uid order by valid_from) as bounds_before
    from runs.hpa_specs
), outside as (
    -- Number and bounds together: apart, the ones that occur most may never have met.
    -- Until 1.15 the pods that there are count, not the number of the spec.
    select
        hpa_uid, ts, lasted_s,
        {
            'replicas': if(spec_replicas between min_replicas and max_replicas, status_replicas, spec_replicas),
            'least': min_replicas, 'most': max_replicas
        } as seen
    from consulted as r
    where reason_code in ('gate.above_max', 'gate.below_min')
        -- What the HPA wrote for its bounds was refused: they were outside before.
        and not is_refused
        -- Where somebody moved the bounds since the reconcile before, nobody wrote the replicas.
        and not exists (
            from specs as e
            where e.hpa_uid = r.hpa_uid
                and e.bounds <> e.bounds_before
                and e.valid_from > r.before
                and e.valid_from <= r.ts
        )
), seen_most as (
    -- Of several that occur as often none is the one that occurs most.
    select hpa_uid, count(*) = 1 as is_one
    from (
        select hpa_uid, seen
        from outside
        group by hpa_uid, seen
        qualify rank() over (partition by hpa_uid order by count(*) desc) = 1
    )
    group by hpa_uid
), counted_reconciles as (
    select
        hpa_uid, min(ts) as first_at, max(ts) as last_at, count(*) as reconciles, sum(lasted_s) as seconds,
        mode(seen order by seen) as mostly
    from outside
    group by hpa_uid
    having count(*) >= 3
)
select
    hpa_uid, first_at, last_at, 'medium' as severity,
    format(
        'the replicas stood outside the bounds in {}, which did not consult metrics: {} {} outside {} to {}',
        counted(reconciles, 'reconcile'), if(is_one, 'most often', 'for example'), mostly.replicas, mostly.least, mostly.most
    ) as verdict,
    json_object('reconciles', reconciles, 'seconds', round(seconds, 6)) as evidence,
    'find who writes these replicas: the question who_wrote_replicas' as next_step
from counted_reconciles
join seen_most using (hpa_uid);
