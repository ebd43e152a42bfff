-- Which HPAs scale up and down again and again?
-- One row per HPA with at least three reversals by itself, each within 15 minutes of the change before it.
-- Needs: writer.hpa
with moves as (
    select
        hpa_uid, at_hi as ts, from_replicas, to_replicas,
        to_replicas::bigint - from_replicas as step,
        lag(to_replicas::bigint - from_replicas) over one as step_before,
        lag(at_hi) over one as ts_before
    from runs.scale_events
    where source = 'actual' and writer_class = 'hpa'
    window one as (partition by hpa_uid order by at_hi, scale_event_id)
)
select
    hpa_uid, min(ts_before) as first_at, max(ts) as last_at,
    if(count(*) >= 10, 'high', 'medium') as severity,
    format(
        '{} between {} and {} replicas, mostly after {} s', counted(count(*), 'reversal'),
        min(least(from_replicas, to_replicas)), max(greatest(from_replicas, to_replicas)),
        round(median(epoch_us(ts) - epoch_us(ts_before)) / 1e6)::bigint
    ) as verdict,
    json_object(
        'reversals', count(*), 'median_gap_s', median(epoch_us(ts) - epoch_us(ts_before)) / 1e6,
        'pods_moved', sum(abs(step))
    ) as evidence,
    'lengthen the window of scaleDown, lower the target, or widen the tolerance of one direction' as next_step
from moves
where sign(step) = -sign(step_before) and ts < ts_before + interval 15 minutes
group by hpa_uid
having count(*) >= 3;
