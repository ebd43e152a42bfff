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
        hpa_uid, namespace, name, at_hi as ts, from_replicas, to_replicas, writer_class, writer_name,
        lag(at_hi) over one as ts_before,
        lag(from_replicas) over one as from_before,
        lag(writer_class) over one as class_before,
        lag(writer_name) over one as name_before
    from scale_events
    where source = 'actual'
        and namespace || '/' || name like $hpa
        and at_hi between $since and $until
    window one as (partition by hpa_uid order by at_hi, scale_event_id)
)
select
    namespace, name,
    name_before as writer_name,
    writer_name as undone_by,
    count(*) as times,
    round(median(epoch_us(ts) - epoch_us(ts_before)) / 1e6, 1) as median_s,
    min(least(from_replicas, to_replicas)) as low,
    max(greatest(from_replicas, to_replicas)) as high,
    min(ts) as first_at,
    max(ts) as last_at
from changes
where to_replicas = from_before
    and (writer_class, writer_name) <> (class_before, name_before)
    and ts <= ts_before + interval 5 minutes
group by hpa_uid, namespace, name, name_before, writer_name
having count(*) >= 2
order by times desc, namespace, name, name_before, undone_by;
