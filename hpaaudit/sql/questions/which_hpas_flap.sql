-- Which HPAs scale up and down again and again?
-- One row per HPA with at least three reversals by itself, each within 15 minutes of the change before it.
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reversals: how often the direction changed
--   median_gap_s: the seconds between two changes, mostly
--   least: the least replicas
--   most: the most replicas
--   pods_moved: the pods that were added and removed together
--   first_at: the first reversal
--   last_at: the last one
with moves as (
    select
        hpa_uid, namespace, name, at_hi as ts, from_replicas, to_replicas,
        to_replicas::bigint - from_replicas as step,
        lag(to_replicas::bigint - from_replicas) over one as step_before,
        lag(at_hi) over one as ts_before
    from scale_events
    where source = 'actual'
        and writer_class = 'hpa'
        and namespace || '/' || name like $hpa
        and at_hi between $since and $until
    window one as (partition by hpa_uid order by at_hi, scale_event_id)
)
select
    namespace, name,
    count(*) as reversals,
    round(median(epoch_us(ts) - epoch_us(ts_before)) / 1e6, 1) as median_gap_s,
    min(least(from_replicas, to_replicas)) as least,
    max(greatest(from_replicas, to_replicas)) as most,
    sum(abs(step))::bigint as pods_moved,
    min(ts) as first_at,
    max(ts) as last_at
from moves
where sign(step) = -sign(step_before)
    and ts < ts_before + interval 15 minutes
group by hpa_uid, namespace, name
having count(*) >= 3
order by reversals desc, namespace, name, hpa_uid;
