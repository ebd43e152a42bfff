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
), gone as (
    select
        s.gone_at as since,
        (
            select min(n.observed_at)
            from scale_states as n
            where n.hpa_uid = s.hpa_uid and n.observed_at > s.gone_at
        ) as until
    from scale_states as s
    join hpas as h using (hpa_uid)
    cross join recordings as o
    where s.namespace = $namespace and s.name = $name
        and s.gone_at < least(coalesce(h.deleted_at, o.ended_at), o.ended_at)
)
select epoch_us(deleted_at) as at_us, epoch_us(next_at) as until_us, false as is_target
from lives
where deleted_at = seen_to and coalesce(next_at > deleted_at, true)
union all
select epoch_us(since), epoch_us(until), true
from gone
where coalesce(until > (select started_at from recordings), true)
order by at_us, is_target;
