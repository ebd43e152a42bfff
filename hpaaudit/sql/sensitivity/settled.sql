-- What explains each unexplained divergence, and is it the only explanation?
-- One row per divergence. If several values of the same settings explain it, each is an interval. is_one: it is known
-- which settings it was, or what the controller remembered; otherwise both explain it, or different settings do.
-- missing_input: what is not known then. is_recorded: the settings are recorded, and a few reconciles do not refute them.
create temp table settled as
with answers as (
    select
        hpa_uid, unnest(divergence_ids) as divergence_id, key, value, alternative, differing, explained, broken,
        also_key, also_value, also_alternative, third_key, third_value, third_alternative, is_recorded
    from runs.sensitivity
), guessed as (
    -- Shortly before, the controller decided another number than the replay, for want of what it had read or for what no
    -- restart explains. The replay remembers its own: that a controller which forgot everything agrees with the rest proves no
    -- restart.
    select distinct a.hpa_uid, a.divergence_id
    from answers as a
    join runs.divergences as d using (hpa_uid, divergence_id)
    join replayed_hpas as h using (hpa_uid)
    join memory_windows as w using (hpa)
    join runs.reconciles as r
        on r.hpa_uid = a.hpa_uid and r.ts < d.opened_at and r.ts >= d.opened_at - w.longest
    where a.key = 'restart'
        and r.desired <> coalesce(r.decided, r.actual)
        and (
            r.verdict = 'skew'
            or r.class = 'unexplained'
            and not exists (
                from answers as o
                where o.hpa_uid = r.hpa_uid and o.divergence_id = r.divergence_id and o.key = 'restart'
            )
        )
)
select
    hpa_uid, divergence_id,
    any_value(key) as key, any_value(value) as value,
    interval_of_values(list(distinct alternative)) as alternative,
    any_value(differing) as differing, any_value(explained) as explained,
    any_value(also_key) as also_key, any_value(also_value) as also_value,
    interval_of_values(list(distinct also_alternative)) as also_alternative,
    any_value(third_key) as third_key, any_value(third_value) as third_value,
    interval_of_values(list(distinct third_alternative)) as third_alternative,
    count(distinct (key, also_key, third_key)) = 1
    and (count(distinct alternative) <= 1 or bool_and(size_of_value(alternative) is not null))
    and (count(distinct also_alternative) <= 1 or bool_and(size_of_value(also_alternative) is not null))
    and (count(distinct third_alternative) <= 1 or bool_and(size_of_value(third_alternative) is not null))
    -- It must not lead elsewhere to what the controller did not decide. One or two reconciles agree by chance.
    and max(broken) = 0
    and (
        -- A setting is wrong everywhere: one that explains few of many explains them by chance.
        max(explained) >= 3 and 2 * max(explained) >= max(differing)
        -- A single reconcile may be a moment off, and then a restart explains it by chance.
        or any_value(key) = 'restart' and any_value(also_key) is null and max(explained) >= 2
        or any_value(key) = 'lease' and any_value(also_key) is null
    )
    -- That a reconcile did not take place is a guess.
    and any_value(key) <> 'reconcile'
    and not bool_or(is_guessed) as is_one,
    case
        when is_one then null
        when bool_and(key = 'sync-period' and also_key is null) then 'controller.sync_period'
        when bool_and(key = 'reconcile' and also_key is null) then 'reconcile.unsure'
        else 'controller.unseen'
    end as missing_input,
    bool_and(is_recorded) as is_recorded,
    case
        when is_one then setting_class(any_value(key))
        when bool_and(is_recorded) then 'unexplained'
        else 'no_data.object_unseen'
    end as class
from (
    select a.*, g.divergence_id is not null as is_guessed
    from answers as a
    left join guessed as g using (hpa_uid, divergence_id)
)
group by hpa_uid, divergence_id
union all by name
-- With clocks that differ, ages and the order of facts are not known.
select d.hpa_uid, d.divergence_id, false as is_one, 'clock.offset' as missing_input, false as is_recorded,
    'no_data.object_unseen' as class
from runs.divergences as d
cross join runs.recordings as i
where d.class = 'unexplained' and abs(i.clock_offset_ms) >= 10000;
