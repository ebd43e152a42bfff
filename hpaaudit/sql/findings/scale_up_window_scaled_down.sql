-- Which HPAs lost pods to the window that should have delayed a scale-up (1.18 to 1.20)?
-- One row per HPA. Up to 1.20 that window looks for the lowest recommendation, even below the replicas that there are. It cost
-- what the metrics asked for beyond the replicas, until there were as many again.
-- Needs: stabilize.up_reversed
with fallen as (
    select
        f.hpa_uid, f.ts, f.spec_replicas, f.desired, f.raw_desired,
        (
            select min(o.ts)
            from ran as o
            where o.hpa_uid = f.hpa_uid and o.ts > f.ts and o.desired >= f.spec_replicas
        ) as restored_at
    from ran as f
    where f.reason_code = 'stabilize.up_reversed' and f.desired < f.spec_replicas
), below as (
    select distinct
        r.hpa_uid, r.reconcile_id,
        -- Where no metric was usable it is unknown what they asked for.
        if(r.raw_desired is null, 0, greatest(least(r.raw_desired, r.max_replicas) - r.desired, 0)) * r.lasted_s as short_s
    from fallen as f
    join ran as r on r.hpa_uid = f.hpa_uid and r.ts >= f.ts and r.ts < coalesce(f.restored_at, 'infinity')
), cost as (
    select hpa_uid, sum(short_s) as short_s
    from below
    group by hpa_uid
)
select
    f.hpa_uid, min(f.ts) as first_at, max(f.ts) as last_at, cost_severity(any_value(c.short_s), 0, 0) as severity,
    format(
        'the scale-up window took away {} of {} replicas while the metrics asked for {}{}',
        arg_min(f.spec_replicas - f.desired, f.ts), arg_min(f.spec_replicas, f.ts), arg_min(f.raw_desired, f.ts),
        if(count(*) > 1, format('; {} in all', counted(count(*), 'time')), '')
    ) as verdict,
    json_object('times', count(*), 'short_pod_seconds', round(any_value(c.short_s), 6)) as evidence,
    'use 1.21 or newer, or set stabilizationWindowSeconds of behavior.scaleUp to 0' as next_step
from fallen as f
join cost as c using (hpa_uid)
group by f.hpa_uid;
