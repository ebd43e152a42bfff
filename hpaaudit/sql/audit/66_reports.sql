-- What did Kubernetes report that is not what happened?
-- One row per Event or published status, as in runs.reports. A gap of the Events hides whether one was posted.
insert into runs.reports by name
with rescaled as (
    select
        involved_uid, namespace, name, coalesce(last_ts, observed_at) as ts, observed_at, uncombined(message) as message,
        try_cast(regexp_extract(uncombined(message), '^New size: (\d+)', 1) as integer) as to_replicas,
        -- Until 1.2 the Event names no reason at all.
        if(contains(message, '; reason: '), regexp_extract(message, '; reason: (.*)$', 1, 's'), null) as said
    from runs.k8s_events
    where kind = 'HorizontalPodAutoscaler' and reason = 'SuccessfulRescale'
), written as (
    select e.*
    from runs.scale_events as e
    cross join runs.recordings as i
    where e.source = 'actual'
        and e.writer_class = 'hpa'
        and e.at_hi between i.started_at and i.ended_at
), paired as (
    select
        w.scale_event_id,
        arg_min(r.said, (abs(epoch_us(r.ts) - epoch_us(w.at_hi)), r.message)) as said,
        arg_min(r.message, (abs(epoch_us(r.ts) - epoch_us(w.at_hi)), r.message)) as message
    from written as w
    left join runs.reconciles as d using (reconcile_id)
    join rescaled as r
        on r.namespace = w.namespace
        and r.name = w.name
        -- The Event names what the HPA wrote: where admission changed that, the target has another number.
        and r.to_replicas in (w.to_replicas, if(d.class = 'write_mutated.admission', d.desired, null))
        -- The time of an Event is cut to the second, and the change itself is seen a moment later.
        and r.ts between w.at_lo - interval 6 seconds and w.at_hi + interval 6 seconds
    group by w.scale_event_id
), unseen as (
    select w.scale_event_id
    from written as w
    join runs.coverage_gaps as g
        on g.stream in ('events', 'everything')
        and w.at_hi between g.gap_from - interval 6 seconds and g.gap_to + interval 6 seconds
), expected as (
    -- What the replay would have said of it, where it decided the same number from inputs that are proven.
    select w.scale_event_id, r.scale_reason as predicted
    from written as w
    join runs.reconciles as r using (reconcile_id)
    where r.evidence in ('proven', 'seen')
        and r.desired = w.to_replicas
        and r.action <> 'hold'
), judged as (
    select
        w.*, p.said, p.message, x.predicted,
        case
            when p.scale_event_id is null and u.scale_event_id is null then 'report.event_lost'
            when p.said = '' then 'report.blank_reason'
            when p.said like '%below target' and w.to_replicas > w.from_replicas
                or p.said like '%above target' and w.to_replicas < w.from_replicas
                then 'report.wrong_reason'
            when p.said <> x.predicted then 'report.other_reason'
        end as class
    from written as w
    left join paired as p using (scale_event_id)
    left join (from unseen group by scale_event_id) as u using (scale_event_id)
    left join expected as x using (scale_event_id)
    -- Of a recording without Events of any HPA nothing is known.
    where exists (select 1 from runs.k8s_events where kind = 'HorizontalPodAutoscaler')
), blocks as (
    -- A search among every 64th reconcile comes first: it spares sorting all of them.
    select hpa, nth // 64 as block, min(ts) as ts
    from compared
    group by all
), shown as materialized (
    select s.*, d.reconcile_id
    from (from runs.hpa_status join replayed_hpas using (hpa_uid)) as s
    asof join blocks as b
        on b.hpa = s.hpa and s.observed_at >= b.ts
    join compared as d
        on d.hpa = b.hpa
        and d.nth // 64 = b.block
        and s.observed_at >= d.ts
        and s.observed_at < d.ts + to_microseconds((1e6 * d.lasted_s)::bigint)
), published as (
    select
        s.*, r.able_reason as able, r.active_reason as active, r.limited_reason as limited, r.verdict, r.missing_input
    from shown as s
    join runs.reconciles as r using (reconcile_id)
    where r.at_source <> 'grid'
), unremembered as (
    -- The conditions that the replay gives may lack what was remembered from before the recording.
    select distinct c.reconcile_id
    from compared as c
    join replayed_hpas as h using (hpa)
    join runs.hpas as a using (hpa_uid)
    join memory_windows as w using (hpa)
    cross join runs.recordings as i
    where a.created_at <= i.started_at
        and not exists (from runs.controller_epochs as e where e.evidence = 'started' and e.acquired_at <= c.ts)
        and c.ts <= i.started_at + w.longest
), stale as (
    -- No metric was usable, and the status still shows a value of one.
    select p.hpa_uid, p.observed_at, p.active_reason, max(m.avg_utilization) as shown
    from published as p
    join runs.hpa_status_metrics as m on m.hpa_uid = p.hpa_uid and m.observed_at = p.observed_at
    where p.active_status = 'False'
        and p.active_reason like 'FailedGet%Metric'
        and m.metric_type <> ''
        and coalesce(m.avg_utilization, m.avg_value_milli, m.value_milli) is not null
        and (
            select count(*) = 1
            from json_each((
                select arg_max(h.metrics, h.valid_from)
                from runs.hpa_specs as h
                where h.hpa_uid = p.hpa_uid and h.valid_from <= p.observed_at
            ))
        )
    group by p.hpa_uid, p.observed_at, p.active_reason
), found as (
    select hpa_uid, at_hi as ts, class, scale_event_id, message as reported,
        if(
            class = 'report.other_reason',
            format('the replay gives another reason: {}', if(predicted = '', 'none', predicted)),
            format('{} -> {} by the HPA', from_replicas, to_replicas)
        ) as happened
    from judged
    where class is not null
    union all
    select hpa_uid, observed_at, 'report.stale_metric', null,
        'currentMetrics with a value', format('no metric was usable: {}', active_reason)
    from stale
    union all
    select hpa_uid, observed_at, 'report.wrong_condition', null,
        concat_ws(' ', able_reason, active_reason, limited_reason), concat_ws(' ', able, active, limited)
    from published
    where verdict = 'match'
        and reconcile_id not in (select reconcile_id from unremembered)
        -- Nor what was remembered from a gap.
        and missing_input is distinct from 'memory.before_recording'
        -- Until 1.6 there are no conditions.
        and able_reason is not null
        and (able_reason, active_reason, limited_reason) is distinct from (able, active, limited)
)
select h.replay_id, h.hpa_uid, h.namespace, h.name, f.ts, f.class, f.scale_event_id, f.reported, f.happened
from found as f
join replayed_hpas as h using (hpa_uid)
cross join runs.recordings as i
where f.ts between i.started_at and i.ended_at
order by h.hpa, f.ts, f.class, f.scale_event_id;
