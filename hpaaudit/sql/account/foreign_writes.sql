-- Who else wrote the replicas, when was it undone, and how many pods were missing until then?
-- One row per write, in the order of time.
with standing as (
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
    from foreign_writes as w
    cross join recordings as o
    join coverage_gaps as g
        on g.stream in ('everything', 'targets')
        and g.gap_to - g.gap_from > interval 30 second
        and g.gap_from >= w.ts
        and g.gap_from < coalesce(w.restored_at, w.undone_at, w.answered_at, o.ended_at)
        and (g.gap_from > o.started_at or g.gap_to < o.ended_at)
    join hpa_specs as a
        on a.hpa_uid = w.hpa_uid
        and a.valid_from <= g.gap_from
        and coalesce(a.valid_to > g.gap_from, true)
    where gap_hides(g.prefix, w.namespace, metric_names(a.metrics))
        and gap_of_object(g.prefix, w.name, a.target_name)
    group by w.hpa_uid, w.scale_event_id
), missing as (
    select
        w.hpa_uid, w.scale_event_id,
        sum(
            greatest(w.from_replicas - s.to_replicas, 0)
            * greatest(epoch(least(s.until, u.gap_from) - s.since), 0)
        ) as pod_s
    from foreign_writes as w
    left join unseen as u using (hpa_uid, scale_event_id)
    join standing as s
        on s.hpa_uid = w.hpa_uid
        and s.scale_event_id >= w.scale_event_id
        and s.since < coalesce(u.gap_from, w.restored_at, w.undone_at, 'infinity')
    group by w.hpa_uid, w.scale_event_id
)
select
    w.hpa_uid, epoch_us(w.ts) as at_us, w.writer_class, w.writer_name, w.from_replicas, w.to_replicas, w.may_be_hpa,
    epoch_us(w.since) as since_us, epoch_us(u.gap_from) as unseen_us,
    epoch_us(w.restored_at) as restored_us, w.restored_to, epoch_us(w.undone_at) as undone_us, w.undone_to,
    coalesce(w.undone_by, '') as undone_by, epoch_us(w.answered_at) as answered_us, w.answered_to,
    coalesce(round(m.pod_s, 6), 0) as missing_pod_s
from foreign_writes as w
left join unseen as u using (hpa_uid, scale_event_id)
left join missing as m using (hpa_uid, scale_event_id)
order by at_us, w.hpa_uid, w.scale_event_id;
