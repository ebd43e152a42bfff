-- What became of each number of replicas?
-- One row per HPA and time with the same spec.replicas, as in runs.effects. The first condition that is true decides the class.
insert into runs.effects by name
with recorded as (
    select started_at, ended_at from runs.recordings
), made_again as (
    select hpa_uid, observed_at, spec_replicas
    from runs.scale_states
    qualify lag(gone_at) over (partition by hpa_uid, target_since order by seq) is not null
), begun as (
    select s.hpa_uid, r.started_at as ts, null::bigint as scale_event_id, null::integer as from_replicas,
        coalesce(
            arg_max(s.spec_replicas, (s.observed_at, s.seq)) filter (s.observed_at <= r.started_at),
            arg_min(s.spec_replicas, (s.observed_at, s.seq))
        ) as wanted
    from runs.scale_states as s
    cross join recorded as r
    where s.observed_at <= r.ended_at
    group by s.hpa_uid, r.started_at
    having min(s.observed_at) <= r.started_at
        or s.hpa_uid not in (select hpa_uid from tenures group by hpa_uid having not bool_or(is_first))
    union all
    -- Another target has its own number, and an HPA that is younger than the recording has none before.
    select s.hpa_uid, min(s.observed_at), null, null, arg_min(s.spec_replicas, (s.observed_at, s.seq))
    from runs.scale_states as s
    cross join recorded as r
    join tenures as t on t.hpa_uid = s.hpa_uid and t.valid_from = s.target_since and not t.is_first
    group by s.hpa_uid, s.target_since, r.started_at, r.ended_at
    having min(s.observed_at) > r.started_at and min(s.observed_at) <= r.ended_at
    union all
    select e.hpa_uid, e.at_hi, e.scale_event_id, e.from_replicas, e.to_replicas
    from runs.scale_events as e
    cross join recorded as r
    where e.source = 'actual' and e.at_hi between r.started_at and r.ended_at
    union all
    -- One that was deleted and made again with the number that it had is no change, and begins a time of its own.
    select m.hpa_uid, m.observed_at, null, null, m.spec_replicas
    from made_again as m
    cross join recorded as r
    anti join runs.scale_events as e on e.hpa_uid = m.hpa_uid and e.source = 'actual' and e.at_hi = m.observed_at
    where m.observed_at > r.started_at and m.observed_at <= r.ended_at
), followed as (
    select
        b.*,
        coalesce(lead(b.ts) over one, h.ended_at) as next_ts,
        row_number() over one as span
    from begun as b
    join replayed_hpas as h using (hpa_uid)
    where b.ts <= h.ended_at
    window one as (partition by b.hpa_uid order by b.ts, b.scale_event_id nulls first)
), spans as (
    -- A target that is gone asks for no pods.
    select f.* exclude (next_ts), least(f.next_ts, min(s.gone_at)) as until
    from followed as f
    left join runs.scale_states as s on s.hpa_uid = f.hpa_uid and s.gone_at >= f.ts and s.gone_at < f.next_ts
    group by f.hpa_uid, f.ts, f.scale_event_id, f.from_replicas, f.wanted, f.next_ts, f.span
), lasting_spans as (
    -- Of numbers that were seen at one instant, as after a gap, the last one is there afterwards.
    from spans
    qualify span = max(span) over (partition by hpa_uid, ts)
), kept as (
    select
        hpa_uid, observed_at, status_replicas,
        lead(observed_at) over (partition by hpa_uid order by observed_at, seq) as until
    from runs.scale_states
    where status_replicas is not null
), statuses as (
    select k.* replace (greatest(k.observed_at, r.started_at) as observed_at)
    from kept as k
    cross join recorded as r
    where k.until is null or k.until > r.started_at
), made as (
    select
        p.hpa_uid, p.span,
        max(s.status_replicas) as made,
        min(s.observed_at) filter (s.status_replicas >= p.wanted) as made_at,
        sum(
            greatest(p.wanted - s.status_replicas, 0)
            * epoch_us(least(coalesce(s.until, p.until), p.until) - s.observed_at)
        ) / 1e6 as missing_s,
        sum(epoch_us(least(coalesce(s.until, p.until), p.until) - s.observed_at))
            filter (s.status_replicas < p.wanted) / 1e6 as short_s
    from statuses as s
    asof join lasting_spans as p on p.hpa_uid = s.hpa_uid and p.ts <= s.observed_at
    where s.observed_at <= p.until
    group by p.hpa_uid, p.span
), chained as (
    -- A number that was changed before its pods were made, and the number after it, are one wait.
    select
        p.hpa_uid, p.span, p.ts, m.short_s,
        (lag(m.short_s > 0 and m.made_at is null) over (partition by p.hpa_uid order by p.span) is not true)::integer
            as is_first
    from spans as p
    left join made as m using (hpa_uid, span)
), waits as (
    select *, sum(is_first) over (partition by hpa_uid order by span rows unbounded preceding) as wait
    from chained
), points as (
    select hpa_uid, ts, 0 as change, 0 as ended, 1 as begins, span, wanted, until
    from spans
    union all
    select hpa_uid, ready_at, 1, 0, 0, null, null, null
    from main.hpa_pods
    where ready_at is not null
    union all
    select hpa_uid, deleted_at, if(ready_at is null, 0, -1), 1, 0, null, null, null
    from main.hpa_pods
    where deleted_at is not null
), counted as (
    select
        hpa_uid, ts, begins, ended,
        sum(change) over one as ready,
        last_value(span ignore nulls) over one as span,
        last_value(wanted ignore nulls) over one as wanted,
        last_value(until ignore nulls) over one as span_until,
        lead(ts) over one as next_ts
    from points
    -- What happens at the instant of a change belongs to the time after it.
    window one as (partition by hpa_uid order by ts, begins desc, span rows between unbounded preceding and current row)
), ready as (
    select
        hpa_uid, span,
        max(ready) as ready,
        min(ts) filter (ready >= wanted) as ready_at,
        sum(ended) as ended,
        sum(greatest(wanted - ready, 0) * epoch_us(least(coalesce(next_ts, span_until), span_until) - ts)) / 1e6
            as missing_s,
        sum(epoch_us(least(coalesce(next_ts, span_until), span_until) - ts)) filter (ready < wanted) / 1e6 as short_s
    from counted
    where span is not null
        and ts <= span_until
        and hpa_uid in (select hpa_uid from main.hpa_pods)
    group by hpa_uid, span
), targets as (
    select distinct hpa_uid, namespace, target_kind, target_name
    from runs.hpa_specs
), told as (
    select t.hpa_uid, e.observed_at, e.reason, e.message
    from (
        select *, root_owner(kind, name) as made_by
        from runs.k8s_events
        where reason = 'FailedCreate'
    ) as e
    join targets as t
        on t.namespace = e.namespace
        and t.target_name = e.made_by.name
        and t.target_kind = coalesce(e.made_by.kind, t.target_kind)
    union all
    select p.hpa_uid, e.observed_at, e.reason, e.message
    from runs.k8s_events as e
    join main.hpa_pods as p on p.namespace = e.namespace and p.pod = e.name
    where e.kind = 'Pod' and e.reason = 'FailedScheduling'
), causes as (
    select
        p.hpa_uid, p.span,
        arg_min(e.message, (e.observed_at, e.message)) filter (e.reason = 'FailedCreate') as refusal,
        bool_or(e.reason = 'FailedCreate' and contains(e.message, 'exceeded quota')) as has_quota,
        arg_min(e.message, (e.observed_at, e.message)) filter (e.reason = 'FailedScheduling') as unschedulable
    from told as e
    asof join lasting_spans as p on p.hpa_uid = e.hpa_uid and p.ts <= e.observed_at
    group by p.hpa_uid, p.span
), refused as (
    select
        w.hpa_uid, w.span,
        sum(w.short_s) over one as short_s, bool_or(c.has_quota) over one as has_quota,
        first_value(c.refusal ignore nulls) over (one order by w.span rows between unbounded preceding and unbounded following)
            as refusal
    from waits as w
    left join causes as c using (hpa_uid, span)
    window one as (partition by w.hpa_uid, w.wait)
), rolled as (
    select p.hpa_uid, p.span
    from spans as p
    asof join runs.rollouts as r on r.hpa_uid = p.hpa_uid and r.started_at <= p.until
    where r.started_at > p.ts - interval 10 minutes
), falls as (
    select
        p.hpa_uid, p.span, p.ts, coalesce(r.ended, 0) as ended,
        greatest(coalesce(p.from_replicas, p.wanted) - p.wanted, 0) as fall
    from spans as p
    left join ready as r using (hpa_uid, span)
), owed as (
    -- A lower number ends the pods of the difference. It may be raised again before they are gone: a minute is more than that
    -- takes.
    select
        hpa_uid, span,
        greatest(fall, sum(fall) over recent - (sum(ended) over recent - ended)) as pods
    from falls
    window recent as (partition by hpa_uid order by ts range between interval 1 minute preceding and current row)
), tests as (
    select
        p.*, m.made, m.made_at, r.ready, r.ready_at,
        -- Two minutes are more than pods that nothing hinders take, also where the number changed meanwhile.
        coalesce(m.made_at is null and f.short_s > 120, false) as t_waits,
        coalesce(c.refusal, if(t_waits, f.refusal, null)) as refusal,
        c.unschedulable,
        greatest(r.ended - w.pods, 0) as removed,
        coalesce(r.missing_s, m.missing_s) as pod_seconds_missing,
        coalesce(m.short_s > 120, false) or t_waits as t_not_made,
        coalesce(c.has_quota, false) or t_waits and coalesce(f.has_quota, false) as t_quota,
        coalesce(r.short_s > 120, false) as t_not_ready,
        c.unschedulable is not null as t_unschedulable,
        o.span is not null as t_rollout,
        m.made is null or r.ready is null and not t_not_made as t_unknown
    from spans as p
    left join made as m using (hpa_uid, span)
    left join ready as r using (hpa_uid, span)
    left join causes as c using (hpa_uid, span)
    left join refused as f using (hpa_uid, span)
    left join rolled as o using (hpa_uid, span)
    left join owed as w using (hpa_uid, span)
)
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    t.ts, t.until, t.scale_event_id, t.from_replicas, t.wanted, t.made, t.made_at, t.ready, t.ready_at, t.removed,
    case
        when t_unknown then 'effect.unknown'
        when t_not_made and t_quota then 'effect.quota'
        when t_not_made then 'effect.not_created'
        when t_not_ready and t_unschedulable then 'effect.unschedulable'
        when t_not_ready and t_rollout then 'effect.rollout'
        when t_not_ready and removed > 0 then 'effect.disruption'
        when t_not_ready then 'effect.slow_start'
        else 'effect.none'
    end as class,
    t.pod_seconds_missing,
    case when t_not_made then t.refusal when t_not_ready then t.unschedulable end as cause
from tests as t
join replayed_hpas as h using (hpa_uid)
order by h.hpa, t.ts, t.scale_event_id nulls first;
