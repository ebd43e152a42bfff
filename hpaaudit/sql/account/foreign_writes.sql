-- Who else wrote the replicas, when was it undone, and how many pods were missing until then?
-- One row per write, in the order of time. missing_pod_s: pods that the write took away and that the metrics asked for all
-- the same; NULL where it is unknown what they asked for. is_least: at zero the HPA was off for a part of that time, and asked no
-- metric: of that part nothing is counted.
with writes as materialized (
    from foreign_writes
), standing as (
    -- How long each number of replicas stood.
    select
        hpa_uid, scale_event_id, to_replicas, at_hi as since,
        lead(at_hi, 1, (select ended_at from recordings)) over (partition by hpa_uid order by at_hi, scale_event_id)
            as until
    from scale_events
    where source = 'actual'
), unseen as (
    -- The first time after a write in which nobody looked at its target: what became of the number then is unknown. What
    -- was never watched at all has its scale read instead.
    select w.hpa_uid, w.scale_event_id, min(g.gap_from) as gap_from
    from writes as w
    cross join recordings as o
    join coverage_gaps as g
        on g.stream in ('everything', 'targets')
        and g.gap_to - g.gap_from > interval 30 second
        and g.gap_from >= w.ts
        and g.gap_from < coalesce(w.restored_at, w.undone_at, w.answered_at, w.released_at, o.ended_at)
        and (g.gap_from > o.started_at or g.gap_to < o.ended_at)
    join hpa_specs as a
        on a.hpa_uid = w.hpa_uid
        and a.valid_from <= g.gap_from
        and coalesce(a.valid_to > g.gap_from, true)
    where gap_hides(g.prefix, w.namespace, metric_names(a.metrics))
        and gap_of_object(g.prefix, w.name, a.target_name)
    group by w.hpa_uid, w.scale_event_id
), below as (
    -- When fewer stood than before the write, until it was undone.
    select
        w.hpa_uid, w.scale_event_id, w.ts as written_at, w.from_replicas, s.to_replicas, s.since,
        least(s.until, u.gap_from, w.released_at) as until
    from writes as w
    left join unseen as u using (hpa_uid, scale_event_id)
    join standing as s
        on s.hpa_uid = w.hpa_uid
        and s.scale_event_id >= w.scale_event_id
        and s.since < coalesce(u.gap_from, w.restored_at, w.undone_at, w.released_at, 'infinity')
    where s.to_replicas < w.from_replicas and least(s.until, u.gap_from, w.released_at) > s.since
), wanted as (
    -- What the metrics asked for from one reconcile until the next. Where they were not asked, or were of no use, the HPA
    -- would have kept what they asked for last since the write, or else what stood before it.
    select
        hpa_uid, ts as since, coalesce(lead(ts) over (partition by hpa_uid order by ts, reconcile_id), 'infinity') as until,
        class is null
            or class <> 'no_data.recording_gap' and (class <> 'no_data.object_unseen' or band_lo = band_hi) as is_known,
        coalesce(reason_code = 'gate.disabled_at_zero', false) as is_off,
        within_bounds(raw_desired, min_replicas, max_replicas) as replicas,
        last_value(within_bounds(raw_desired, min_replicas, max_replicas) ignore nulls) over past as asked_last,
        last_value(if(raw_desired is null, null, ts) ignore nulls) over past as asked_at
    from reconciles
    where hpa_uid in (select hpa_uid from writes)
    window past as (partition by hpa_uid order by ts, reconcile_id)
), pieces as (
    -- The longest times in which neither what stood nor what was wanted changed; of the time before the first reconcile it
    -- is unknown what was wanted.
    select
        b.hpa_uid, b.scale_event_id,
        epoch(least(b.until, n.until) - greatest(b.since, n.since)) as seconds,
        case
            when n.is_off then 0
            when n.is_known then greatest(
                least(
                    b.from_replicas,
                    coalesce(n.replicas, if(n.asked_at > b.written_at, n.asked_last, null), b.from_replicas)
                ) - b.to_replicas, 0
            )
        end as pods,
        n.is_off
    from below as b
    join wanted as n on n.hpa_uid = b.hpa_uid and n.since < b.until and n.until > b.since
    union all
    select b.hpa_uid, b.scale_event_id, epoch(least(b.until, f.since) - b.since), null, false
    from below as b
    left join (select hpa_uid, min(since) as since from wanted group by hpa_uid) as f using (hpa_uid)
    where coalesce(f.since > b.since, true)
), missing as (
    select
        hpa_uid, scale_event_id,
        if(bool_or(pods is null), null, round(sum(pods * seconds), 6)) as pod_s,
        coalesce(bool_or(is_off and seconds > 0), false) as is_least
    from pieces
    group by hpa_uid, scale_event_id
)
select
    w.hpa_uid, epoch_us(w.ts) as at_us, w.writer_class, w.writer_name, w.from_replicas, w.to_replicas, w.may_be_hpa,
    epoch_us(w.since) as since_us, epoch_us(u.gap_from) as unseen_us,
    epoch_us(w.restored_at) as restored_us, w.restored_to, epoch_us(w.undone_at) as undone_us, w.undone_to,
    epoch_us(written_after(w.undone_after, w.undone_at)) as undone_after_us,
    coalesce(w.undone_by, '') as undone_by, epoch_us(w.answered_at) as answered_us, w.answered_to,
    epoch_us(w.released_at) as released_us, w.is_deleted, w.is_gone,
    w.is_remade, epoch_us(written_after(w.at_lo, w.ts)) as after_us,
    if(m.hpa_uid is null, 0, m.pod_s) as missing_pod_s, coalesce(m.is_least, false) as is_least,
    -- Who undid it is as unknown there as in the row of that write.
    exists (from writes as o where o.hpa_uid = w.hpa_uid and o.ts = w.undone_at and o.may_be_hpa) as undone_may_be_hpa,
    -- What the first reconcile of a target that was made again kept, it found there.
    not w.is_remade
    and exists (from reconciles as r where r.reconcile_id = w.reconcile_id and r.desired = w.to_replicas) as is_wanted
from writes as w
left join unseen as u using (hpa_uid, scale_event_id)
left join missing as m using (hpa_uid, scale_event_id)
order by at_us, w.hpa_uid, w.scale_event_id;
