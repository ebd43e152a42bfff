-- When were the reconciles of an HPA missed, and for how long?
-- One row per HPA and time in which none is known to have taken place, in the order of time. began_us, until_us: of a
-- controller that was down as its Lease tells it, else from the first missed reconcile to the next one; until_us is NULL if it
-- lasted to the end. is_cut: to the end of the time that is shown, and nobody asked how it went on. is_least: what came then may
-- have been missed as well: a silent controller that has nothing to write looks like one that does nothing.
with taken as (
    select hpa_uid, ts, at_source = 'grid' as is_silent
    from reconciles
    where at_source <> 'grid' or verdict in ('match', 'skew')
), missed as (
    select r.hpa_uid, r.class, r.ts, t.ts as next_at, t.is_silent
    from reconciles as r
    asof left join taken as t on t.hpa_uid = r.hpa_uid and t.ts > r.ts
    where did_not_run(r.class)
), times as (
    select hpa_uid, class, next_at, is_silent, min(ts) as from_at, count(*) as missed
    from missed
    group by hpa_uid, class, next_at, is_silent
), down as (
    select t.hpa_uid, t.from_at, max(o.lapsed_at) as lapsed_at, max(o.until) as until, bool_or(o.until is null) as is_open
    from times as t
    join controller_outages as o
        on o.lapsed_at < coalesce(t.next_at, 'infinity')
        and coalesce(o.until, 'infinity') > t.from_at
    where t.class = 'not_run.controller_down'
    group by t.hpa_uid, t.from_at
)
select
    t.hpa_uid, t.class as divergence_class, t.missed,
    epoch_us(coalesce(d.lapsed_at, t.from_at)) as began_us,
    epoch_us(if(d.is_open, null, coalesce(d.until, t.next_at))) as until_us,
    until_us is null and (select bool_or(options like '%--until%') from replays) as is_cut,
    until_us is not null and d.hpa_uid is null and coalesce(t.is_silent, false) as is_least
from times as t
left join down as d on d.hpa_uid = t.hpa_uid and d.from_at = t.from_at and t.class = 'not_run.controller_down'
order by t.from_at;
