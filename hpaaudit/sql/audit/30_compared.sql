-- What did the controller decide for some HPAs, what did the cluster do, and do these agree with the replay?
-- One row per reconcile, as in compared.
insert into compared by name
with lines as (
    select coalesce(bool_or(getvariable('texts').at_source[at_source + 1] in ('reconcile', 'watch')), false) as has_lines
    from staged.replayed
), told as (
    select
        *, rowid as place,
        -- The first status of a recording is of some time before.
        row_number() over one > 1 and last_scale_time is distinct from lag(last_scale_time) over one as is_rescale
    from runs.hpa_status
    window one as (partition by hpa_uid order by observed_at, rowid)
), statuses as (
    select
        h.hpa, s.*,
        lag(s.desired_replicas) over (partition by h.hpa order by s.observed_at) as desired_before
    from (
        from told
        -- From 1.2 to 1.5 an HPA was reconciled several times at one instant. Without a line for each, the status counts that
        -- tells of a write of the scale.
        qualify row_number() over (
            partition by hpa_uid, observed_at
            order by is_rescale and not (select has_lines from lines) desc, place desc
        ) = 1
    ) as s
    join replayed_hpas as h using (hpa_uid)
), published as (
    select
        hpa, observed_at, desired_replicas, able_reason, active_reason,
        desired_replicas is distinct from desired_before as is_new_number,
        -- lastScaleTime has whole seconds.
        coalesce(is_rescale and observed_at - last_scale_time > interval 6 second, false) as is_late,
        coalesce(able_status, '') <> '' or desired_replicas > 0 as was_written,
        coalesce(able_status = 'False' and able_reason in ('FailedGetScale', 'FailedUpdateScale'), false)
        or coalesce(active_status = 'False' and active_reason not in ('ScalingDisabled', 'ScaledToZero'), false)
            as is_failing
    from statuses
), standing as (
    select
        s.reconcile_id, s.hpa, s.nth, s.ts, s.until, s.next_ts, s.spec_replicas, s.next_spec_replicas, s.next_is_silent, s.desired, s.expected, s.status_desired, s.open,
        s.able, s.active, s.is_refused,
        p.desired_replicas, p.able_reason as said_able_reason, p.active_reason as said_active_reason,
        p.is_new_number, p.was_written, p.is_failing, p.is_late,
        coalesce(p.observed_at >= s.began_at, false) as is_fresh
    from (
        -- Up to 1.5 the next reconcile may begin as this one writes its status: that status is still this one's.
        select * replace (greatest(until, ts + interval 1 microsecond) as until)
        from spans
        where hpa between $first and $last
    ) as s
    asof left join published as p
        on s.hpa = p.hpa and s.until > p.observed_at
), told_by_event as (
    -- Its Event tells that it wrote the number of the replay, and the target got it: the status of this reconcile was refused,
    -- or came late, and the one that stands is older. Times of Events have whole seconds.
    select distinct t.reconcile_id
    from standing as t
    join rescale_events as e
        on e.hpa = t.hpa
        and e.replicas = t.desired
        and e.at between t.ts - interval 1 second and t.ts + interval 1 second
    where not t.is_fresh and t.desired <> t.spec_replicas and t.next_spec_replicas = t.desired
), sources as (
    select
        t.*, f.sent,
        coalesce(v.spec_replicas, t.next_spec_replicas, a.actual) as actual,
        case
            when f.sent is not null then 1
            when not coalesce(t.was_written, false) then 0
            -- Of several reconciles at one instant (Kubernetes 1.2 to 1.5) only the last one's status can be told.
            when t.next_ts = t.ts then 0
            -- An unchanged status is no evidence if the next one was not observed, or was refused.
            when not t.is_fresh and u.reconcile_id is not null then 0
            -- Nor is it where the next one kept silent too, although its status would have changed.
            when not t.is_fresh and t.next_is_silent then 0
            -- Nor at the end of the recording: its status may have come just afterwards.
            when not t.is_fresh and t.next_ts is null and t.status_desired is distinct from t.desired_replicas
                and t.ts > h.ended_at - interval 2 second
                then 0
            when e.reconcile_id is not null then 0
            -- Until 1.5 a refused write leaves the status of an earlier reconcile.
            when not t.is_fresh and t.is_refused then 0
            when t.is_failing and not (t.is_fresh and t.is_new_number) then 3
            else 2
        end::tinyint as decided_source,
        -- An old status says nothing of this write: the controller may have stopped.
        coalesce(t.is_fresh and t.said_able_reason = 'FailedUpdateScale', false) as told_of_failure
    from standing as t
    left join failed_rescales as f using (reconcile_id)
    left join unwritten as u using (reconcile_id)
    left join told_by_event as e using (reconcile_id)
    left join last_actual as a using (reconcile_id)
    left join unseen_scales as v on v.reconcile_id = t.reconcile_id and v.is_actual
    join replayed_hpas as h using (hpa)
), agreed as (
    select
        *,
        case decided_source
            when 1 then desired = sent
            when 2 then status_desired = desired_replicas
            -- Of a write that only the status shows to be refused the replay expects success.
            when 3 then coalesce(getvariable('texts').able_reason[able + 1], '')
                    in (coalesce(said_able_reason, ''), if(told_of_failure, 'SucceededRescale', coalesce(said_able_reason, '')))
                and getvariable('texts').active_reason[active + 1] is not distinct from said_active_reason
        end as decision_agrees,
        -- Where nothing else tells of a decision, the replicas that it left although it wanted others prove nothing of it.
        if(decided_source = 0 and desired <> expected, null, actual = expected) as replicas_agree
    from sources
)
select
    g.reconcile_id, g.hpa, g.nth, g.ts,
    greatest(0, epoch_us(coalesce(g.next_ts, h.ended_at)) - epoch_us(g.ts)) / 1e6 as lasted_s,
    g.desired, g.decided_source,
    case g.decided_source when 1 then g.sent when 2 then g.desired_replicas end as decided,
    g.actual, g.spec_replicas, g.next_spec_replicas, g.decision_agrees, g.replicas_agree, g.open,
    g.told_of_failure,
    -- The status says that it was written for an earlier reconcile than the one as which it was seen.
    g.is_fresh and g.is_late as told_late,
    coalesce(g.is_fresh and g.said_able_reason = 'SucceededRescale', false) as told_of_success,
    -- Where a refusal still stands, no write was accepted: that would have replaced it.
    coalesce(
        if(
            g.said_able_reason = 'FailedUpdateScale', not g.is_fresh,
            g.is_fresh and g.said_able_reason not in ('', 'SucceededRescale')
        ),
        false
    ) as told_of_none,
    coalesce(
        g.decision_agrees is not false and g.replicas_agree is not false and (g.decision_agrees or g.replicas_agree)
        -- A write that was refused is no match, whether or not the next number is known.
        and not ((g.told_of_failure or g.decided_source = 1 or g.is_refused) and g.replicas_agree is null)
        and (g.open = 0 or g.open = 1 and b.is_interrupted is not true),
        false
    ) as agrees
from agreed as g
join replayed_hpas as h using (hpa)
left join reconciles_in_gaps as b using (reconcile_id);
