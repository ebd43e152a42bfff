-- When did an HPA itself scale its target to zero, and what became of that?
-- One row per time, in the order of time. raised_us: when the replicas were raised again, NULL: not before the recording ended.
-- raised_by: by whom, if it was not the HPA; metric: which metric asked for them, if it was. unseen_us: nobody looked from then on.
-- released_us: the HPA scaled the target no more, because it was deleted or got another one, or because the target was gone.
with written as (
    select
        hpa_uid, namespace, name, scale_event_id, at_lo, at_hi as ts, to_replicas, writer_class,
        lead({
            'ts': at_hi, 'lo': at_lo, 'replicas': to_replicas, 'is_hpa': writer_class = 'hpa', 'who': writer_name,
            'reconcile_id': reconcile_id
        }) over (partition by hpa_uid order by at_hi, scale_event_id) as later
    from scale_events
    where source = 'actual'
), zeros as (
    select w.*, t.target_kind, t.target_name
    from written as w
    cross join recordings as o
    asof left join hpa_specs as t on t.hpa_uid = w.hpa_uid and w.ts >= t.valid_from
    where w.to_replicas = 0 and w.writer_class = 'hpa' and w.ts between o.started_at and o.ended_at
), ends as (
    select
        z.hpa_uid, z.scale_event_id,
        least(min(t.valid_from), min(h.deleted_at), min(g.gone_at)) as released_at,
        coalesce(released_at = min(h.deleted_at), false) as is_deleted,
        coalesce(released_at = min(g.gone_at), false) and not is_deleted as is_gone
    from zeros as z
    left join scale_states as g on g.hpa_uid = z.hpa_uid and g.gone_at > z.ts
    left join hpas as h on h.hpa_uid = z.hpa_uid and h.deleted_at > z.ts
    left join hpa_specs as t
        on t.hpa_uid = z.hpa_uid
        and t.valid_from > z.ts
        and (t.target_kind, t.target_name) is distinct from (z.target_kind, z.target_name)
    group by z.hpa_uid, z.scale_event_id
), unseen as (
    -- The first time in which nobody looked at the target: what became of the number then is unknown.
    select z.hpa_uid, z.scale_event_id, min(g.gap_from) as gap_from
    from zeros as z
    join ends as e using (hpa_uid, scale_event_id)
    cross join recordings as o
    join coverage_gaps as g
        on g.stream in ('everything', 'targets')
        and g.gap_to - g.gap_from > interval 30 second
        and g.gap_from >= z.ts
        and g.gap_from < coalesce(least(z.later.ts, e.released_at), o.ended_at)
        and (g.gap_from > o.started_at or g.gap_to < o.ended_at)
    join hpa_specs as a
        on a.hpa_uid = z.hpa_uid
        and a.valid_from <= g.gap_from
        and coalesce(a.valid_to > g.gap_from, true)
    where gap_hides(g.prefix, z.namespace, metric_names(a.metrics))
        and gap_of_object(g.prefix, z.name, a.target_name)
    group by z.hpa_uid, z.scale_event_id
), raised as (
    select hpa_uid, scale_event_id, later
    from zeros
    join ends using (hpa_uid, scale_event_id)
    where later.ts < coalesce(released_at, 'infinity')
)
select
    z.hpa_uid, epoch_us(z.ts) as at_us, epoch_us(written_after(z.at_lo, z.ts)) as after_us,
    epoch_us(r.later.ts) as raised_us, epoch_us(written_after(r.later.lo, r.later.ts)) as raised_after_us,
    r.later.replicas as raised_to,
    coalesce(r.later.is_hpa, false) as is_raised_by_hpa,
    if(r.later.is_hpa, '', coalesce(r.later.who, '')) as raised_by,
    if(r.later.is_hpa, coalesce(p.metric_label, ''), '') as metric,
    epoch_us(u.gap_from) as unseen_us,
    epoch_us(e.released_at) as released_us, e.is_deleted, e.is_gone
from zeros as z
join ends as e using (hpa_uid, scale_event_id)
left join unseen as u using (hpa_uid, scale_event_id)
left join raised as r using (hpa_uid, scale_event_id)
-- A number that a bound raised was asked for by no metric.
left join metric_proposals as p on p.reconcile_id = r.later.reconcile_id and p.is_winner and p.proposal > 0
order by at_us, z.hpa_uid;
