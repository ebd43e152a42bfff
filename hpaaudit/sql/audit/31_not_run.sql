-- Which inferred reconciles of some HPAs did not take place?
-- One row per reconcile, as in not_run. Three kinds of evidence say so:
-- 1. The Lease of kube-controller-manager ran out. It counts if we saw it renewed before, or if a new status was due; it does
--    not if an HPA was reconciled after all. The process may have ended any time after the last renewal: of each HPA it had
--    ended by the first time that a new status was due, if no HPA was reconciled from then on.
-- 2. Silence: three or more times in a row the inputs would have changed the status, and none was written. This counts only
--    for HPAs whose last published status followed from our inputs. Where nothing would have changed, silence says nothing.
-- 3. A process took over soon after, the reconcile would have left a trace, and nothing was reconciled in between: the
--    process before it had ended already.
-- Where silence is all, and no Events were recorded, the class says that it is not known whether they took place.
-- is_due: the inputs would have changed the status; is_late: they or the decision would have.
insert into not_run by name
with steps as (
    select
        s.reconcile_id, s.hpa, s.nth, s.ts,
        getvariable('texts').at_source[r.at_source + 1] = 'grid' as is_inferred,
        -- A reconcile that still fails as the published one did writes nothing either.
        b.reconcile_id is null and c.decided_source is distinct from 3 as is_telling,
        is_telling and getvariable('texts').evidence[r.evidence + 1] = 'assumed' as is_due,
        is_due or is_telling and c.decision_agrees is false as is_late,
        getvariable('texts').evidence[r.evidence + 1] = 'proven' as is_proven,
        -- Where the controller is known to decide otherwise from the same inputs, another number of ours would not have been written.
        coalesce(bool_or(not is_inferred and is_proven and c.decision_agrees is false) over (partition by s.hpa), false)
            as decides_otherwise
    from (from spans where hpa between $first and $last) as s
    join staged.replayed as r using (reconcile_id)
    join compared as c using (reconcile_id)
    left join reconciles_in_gaps as b using (reconcile_id)
), seen as (
    select s.ts
    from spans as s
    join staged.replayed as r using (reconcile_id)
    where getvariable('texts').at_source[r.at_source + 1] <> 'grid'
        -- A status that a list shows after a gap is of some time in the gap: it does not say that anything ran after it.
        and not exists (
            from runs.coverage_gaps as g
            cross join sync as y
            where g.stream in ('everything', 'hpas')
                and g.gap_to - g.gap_from > y.sync
                and getvariable('texts').at_source[r.at_source + 1] = 'status_write'
                and s.ts between g.gap_to and g.gap_to + interval 5 second
        )
), counted as (
    select *, count(*) filter (not is_inferred) over (partition by hpa order by nth) as stretch
    from steps
), stretches as (
    -- Each stretch begins with a status that was written. If that did not follow from our inputs, neither does silence.
    select
        *, first_value(is_proven and not is_inferred) over (partition by hpa, stretch order by nth) as is_understood
    from counted
), outages as (
    select o.renewed_at, o.lapsed_at, coalesce(o.until, 'infinity') as until
    from runs.controller_outages as o
    where not exists (from seen where seen.ts > o.lapsed_at + interval 2 second and seen.ts < coalesce(o.until, 'infinity'))
        and (
            o.was_renewed
            or exists (from steps where is_inferred and is_due and ts > o.lapsed_at and ts < coalesce(o.until, 'infinity'))
        )
), last_seen as (
    select o.renewed_at, o.until, greatest(o.renewed_at, seen.ts) as last_seen
    from outages as o
    asof left join seen on o.until > seen.ts
), ended as (
    select s.hpa, o.renewed_at, o.last_seen, o.until, min(s.ts) as ended_by
    from steps as s
    join last_seen as o on s.ts > o.last_seen and s.ts < o.until
    where s.is_inferred and s.is_due
    group by s.hpa, o.renewed_at, o.last_seen, o.until
), down as (
    select s.reconcile_id, 'not_run.controller_down' as class, max(o.renewed_at) as renewed_at
    from steps as s
    join outages as o on s.ts > o.renewed_at and s.ts < o.until
    left join ended as e on e.hpa = s.hpa and e.renewed_at = o.renewed_at and e.until = o.until
    where s.is_inferred and s.ts > if(s.is_due, o.renewed_at, least(o.lapsed_at, e.ended_by))
    group by s.reconcile_id
), successors as (
    -- ran_until: the process before it certainly ran as long: it renewed its Lease, or was seen to stop.
    select
        e.acquired_at,
        coalesce(p.renewed_at, if(p.holder is null and p.ended_at < e.acquired_at, p.ended_at, null)) as ran_until
    from runs.controller_epochs as e
    left join runs.controller_epochs as p on p.epoch_id = e.epoch_id - 1
    where e.epoch_id > 0 and e.acquired_at is not null
), restarting as (
    select
        s.reconcile_id,
        -- Where nobody knows how long that process ran, another number proves nothing: its settings may be others.
        if(s.is_due or e.ran_until is not null, 'not_run.controller_restart', 'no_data.object_unseen') as class
    from steps as s
    asof join successors as e on s.ts < e.acquired_at
    where s.is_inferred and s.is_late and s.ts > e.acquired_at - interval 2 minute
        and coalesce(s.ts > e.ran_until, s.is_due or not s.decides_otherwise)
        and not exists (from seen where seen.ts >= s.ts and seen.ts < e.acquired_at)
        and s.reconcile_id not in (select reconcile_id from down)
), lates as (
    select
        hpa, stretch, nth,
        max(nth) over (partition by hpa, stretch order by nth rows between unbounded preceding and 1 preceding) as before,
        0.8 * (max(nth) over (partition by hpa, stretch) - min(nth) over (partition by hpa, stretch) + 1) as many
    from stretches
    where is_inferred and is_late and is_understood
), silences as (
    -- Times of silence in a stretch: in between, the inputs may come back to what was published, and nothing is due.
    select
        *,
        if(
            count(*) over (partition by hpa, stretch) >= many, 0,
            count(*) filter (nth - before > 2) over (partition by hpa, stretch order by nth)
        ) as silence
    from lates
), due as (
    select
        hpa, stretch,
        min(nth) as first_nth, max(nth) as last_nth, min(ts) as first_ts, max(ts) as last_ts
    from silences
    join stretches using (hpa, stretch, nth)
    group by hpa, stretch, silence
    having count(*) filter (is_due) >= 3 and count(*) >= 0.8 * (max(nth) - min(nth) + 1)
), silent as (
    select
        hpa, first_nth, last_nth, first_ts,
        case
            when not exists (from seen where seen.ts between first_ts and last_ts)
                and exists (
                    from runs.controller_epochs as e
                    where e.acquired_at <= first_ts and e.renewed_at >= last_ts - interval 30 second
                )
                then 'not_run.controller_hung'
            -- Only an Event tells of a status that was refused.
            when exists (from runs.k8s_events as e where e.component = 'horizontal-pod-autoscaler')
                and not exists (
                    from runs.coverage_gaps as g
                    where g.stream in ('everything', 'events') and g.gap_from <= last_ts and g.gap_to >= first_ts
                )
                then 'not_run.missed_reconcile'
            else 'no_data.object_unseen'
        end as class
    from due
)
select reconcile_id, class, renewed_at
from down
union all by name
select reconcile_id, class
from restarting
union all by name
-- A silence that began in an outage, after the last reconcile of any HPA, is part of it.
select
    t.reconcile_id, if(e.hpa is null, s.class, 'not_run.controller_down') as class, e.renewed_at
from steps as t
join silent as s on s.hpa = t.hpa and t.nth between s.first_nth and s.last_nth
left join ended as e on e.hpa = t.hpa and s.first_ts > e.last_seen and t.ts < e.until
anti join down using (reconcile_id)
anti join restarting using (reconcile_id);
