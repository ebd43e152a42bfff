-- Which HPAs scale up and down again and again?
-- One row per HPA with at least three reversals in a row, of one target: changes by itself in one direction and, as the next
-- change of all within 15 minutes, in the other. Reversals are in a row if each follows the one before within 15 minutes.
-- Needs: hpa.wrote_four_times
with made as (
    -- A target that was deleted and made again begins anew.
    select hpa_uid, observed_at, row_number() over (partition by hpa_uid order by observed_at) as target_nth
    from runs.scale_states
    where unchanged_at is null
), changes as (
    -- What somebody else wrote, or a changed minReplicas or maxReplicas enforced, is no step of its own.
    select
        e.hpa_uid, m.target_nth, e.at_hi as ts, e.scale_event_id, e.from_replicas, e.to_replicas,
        if(
            e.writer_class = 'hpa' and not starts_with(coalesce(r.reason_code, ''), 'gate.'),
            e.to_replicas::bigint - e.from_replicas, null
        ) as step
    from runs.scale_events as e
    left join runs.reconciles as r using (reconcile_id)
    asof left join made as m on m.hpa_uid = e.hpa_uid and e.at_hi >= m.observed_at
    where e.source = 'actual'
), moves as (
    select *, lag(step) over one as step_before, lag(ts) over one as ts_before
    from changes
    window one as (partition by hpa_uid, target_nth order by ts, scale_event_id)
), reversals as (
    select
        *,
        coalesce(ts - lag(ts) over one > interval 15 minutes, true) as is_first
    from moves
    where sign(step) = -sign(step_before) and ts < ts_before + interval 15 minutes
    window one as (partition by hpa_uid, target_nth order by ts, scale_event_id)
), rows_of as (
    select *, sum(is_first::integer) over (partition by hpa_uid, target_nth order by ts, scale_event_id) as row_nth
    from reversals
), flapping as (
    select *
    from rows_of
    qualify count(*) over (partition by hpa_uid, target_nth, row_nth) >= 3
)
select
    hpa_uid, min(ts_before) as first_at, max(ts) as last_at,
    if(count(*) >= 10, 'high', 'medium') as severity,
    format(
        '{} between {} and {} replicas, half of them within {} s', counted(count(*), 'reversal'),
        min(least(from_replicas, to_replicas)), max(greatest(from_replicas, to_replicas)),
        round(median(epoch_us(ts) - epoch_us(ts_before)) / 1e6)::bigint
    ) as verdict,
    json_object(
        'reversals', count(*), 'median_gap_s', median(epoch_us(ts) - epoch_us(ts_before)) / 1e6,
        'pods_moved', sum(abs(step))
    ) as evidence,
    'lengthen the window of scaleDown, lower the target, or widen the tolerance of one direction' as next_step
from flapping
group by hpa_uid;
