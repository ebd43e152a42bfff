-- When was there no HPA of this name, and when no target, as far as it was seen?
-- One row per such time, in the order of time. until_us: when it was there again, NULL: not before the recording ended. is_target:
-- the target was gone, and the HPA was not.
with lives as (
    select
        deleted_at,
        lead(seen_at) over (order by seen_at, hpa_uid) as next_at,
        -- Two HPAs of one name may overlap where the end of the first was seen late.
        max(coalesce(deleted_at, 'infinity')) over (order by seen_at, hpa_uid) as seen_to
    from hpas
    where namespace = $namespace and name = $name
), remade as (
    -- Reconciles that found no target, from the last one before that read it until it was made again.
    select
        e.at_hi as until,
        (
            select min(r.ts)
            from reconciles as r
            where r.hpa_uid = e.hpa_uid
                and r.spec_replicas is null
                and r.ts < e.at_hi
                and r.ts > coalesce(
                    (
                        select max(o.ts) from reconciles as o
                        where o.hpa_uid = e.hpa_uid and o.spec_replicas is not null and o.ts < e.at_hi
                    ), '-infinity'
                )
        ) as since
    from scale_events as e
    where e.namespace = $namespace and e.name = $name and e.source = 'actual' and e.is_remade
)
select epoch_us(deleted_at) as at_us, epoch_us(next_at) as until_us, false as is_target
from lives
where deleted_at = seen_to and coalesce(next_at > deleted_at, true)
union all
select epoch_us(since), epoch_us(until), true
from remade
where since is not null
order by at_us, is_target;
