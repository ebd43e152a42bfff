-- Which two writers undo each other's replicas?
-- One row per HPA and pair of writers of which one undid the other within five minutes, at least twice.
-- Asked: Who wrote?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   writer_name: who wrote
--   undone_by: who undid it
--   times: how often
--   median_s: the seconds until it was undone, mostly
--   low: the least number that was written
--   high: the greatest number that was written
--   first_at: when it was first undone
--   last_at: when it was last undone
with changes as (
    select
        hpa_uid, namespace, name, at_hi as ts, from_replicas, to_replicas, writer_name,
        (row(writer_class, writer_name) is distinct from lag(row(writer_class, writer_name)) over one)::integer as is_other,
        row_number() over one as nth
    from scale_events
    where source = 'actual'
        -- Who makes a target again undoes nobody's number.
        and not coalesce(is_remade, false)
        and namespace || '/' || name like $hpa
        and at_hi between $since and $until
    window one as (partition by hpa_uid order by at_hi, scale_event_id)
), turns as (
    -- A writer may come back to the number in several steps, as an HPA does that may only double.
    select *, sum(is_other) over (partition by hpa_uid order by nth) as turn
    from changes
), ends as (
    -- What the next writer may undo: the last change of each turn.
    select
        hpa_uid, turn + 1 as turn, max(ts) as ended_at, any_value(writer_name) as ended_by,
        arg_max(from_replicas, nth) as before, arg_max(to_replicas, nth) as after
    from turns
    group by hpa_uid, turn
), undone as (
    -- The number is back where it was, or beyond.
    select t.*, e.ended_at, e.ended_by, e.after
    from turns as t
    join ends as e using (hpa_uid, turn)
    where t.ts <= e.ended_at + interval 5 minutes
        and if(e.after < e.before, t.to_replicas >= e.before, t.to_replicas <= e.before)
    qualify row_number() over (partition by t.hpa_uid, t.turn order by t.nth) = 1
)
select
    namespace, name,
    ended_by as writer_name,
    writer_name as undone_by,
    count(*) as times,
    round(median(epoch_us(ts) - epoch_us(ended_at)) / 1e6, 1) as median_s,
    min(least(after, to_replicas)) as low,
    max(greatest(after, to_replicas)) as high,
    min(ts) as first_at,
    max(ts) as last_at
from undone
group by hpa_uid, namespace, name, ended_by, undone.writer_name
having count(*) >= 2
order by times desc, namespace, name, ended_by, undone_by, hpa_uid;
