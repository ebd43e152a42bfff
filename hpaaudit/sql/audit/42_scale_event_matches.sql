-- Which predicted change belongs to which actual change?
-- One row per pair, or per change without a counterpart, as in runs.scale_event_matches. Pairs are made in this order: the
-- same number within one sync period of the actual interval (match), within two more (timing), another number from the
-- same start within one (size, direction). In each round the nearest pair comes first, and no change is paired twice.
insert into runs.scale_event_matches by name
with recursive predicted as (
    from runs.scale_events where source = 'predicted'
), actual_events as (
    from runs.scale_events where source = 'actual'
), distances as (
    select
        p.scale_event_id as predicted_id,
        a.scale_event_id as actual_id,
        greatest(0, epoch_us(a.at_lo) - epoch_us(p.at_hi), epoch_us(p.at_hi) - epoch_us(a.at_hi)) as distance_us,
        p.to_replicas = a.to_replicas as same_number,
        p.from_replicas = a.from_replicas as same_start,
        (p.to_replicas > p.from_replicas) = (a.to_replicas > a.from_replicas) as same_direction,
        s.sync_us
    from predicted as p
    join actual_events as a using (hpa_uid)
    cross join sync as s
    where p.at_hi between a.at_lo - 3 * s.sync and a.at_hi + 3 * s.sync
), candidates as (
    select
        predicted_id, actual_id,
        case
            when same_number and distance_us <= sync_us then 'match'
            when same_number then 'timing'
            when same_direction then 'size'
            else 'direction'
        end as shape,
        row_number() over (
            order by
                case when same_number and distance_us <= sync_us then 1 when same_number then 2 when same_direction then 3 else 4 end,
                distance_us, predicted_id, actual_id
        ) as rank
    from distances
    where same_number or same_start and distance_us <= sync_us
), rounds as (
    select predicted_id, actual_id, shape, rank, false as is_pair from candidates
    union all
    select predicted_id, actual_id, shape, rank, is_pair
    from (
        select
            *,
            bool_or(is_pair) over (partition by predicted_id) or bool_or(is_pair) over (partition by actual_id) as is_taken
        from (
            select
                * exclude (is_pair),
                rank = min(rank) over (partition by predicted_id) and rank = min(rank) over (partition by actual_id) as is_pair
            from rounds
            where not is_pair
        ) as chosen
    ) as judged
    where is_pair or not is_taken
), pairs as (
    select predicted_id, actual_id, shape from rounds where is_pair
)
select
    coalesce(p.replay_id, a.replay_id) as replay_id,
    coalesce(p.hpa_uid, a.hpa_uid) as hpa_uid,
    coalesce(p.namespace, a.namespace) as namespace,
    coalesce(p.name, a.name) as name,
    coalesce(a.scale_event_id, p.scale_event_id) as scale_event_id,
    coalesce(p.reconcile_id, a.reconcile_id) as reconcile_id,
    p.at_hi as predicted_at,
    a.at_lo as actual_at_lo,
    a.at_hi as actual_at_hi,
    coalesce(a.from_replicas, p.from_replicas) as from_replicas,
    p.to_replicas as predicted_to,
    a.to_replicas as actual_to,
    (epoch_us(a.at_hi) - epoch_us(p.at_hi)) / 1e6 as lag_s,
    coalesce(pairs.shape, case when p.scale_event_id is null then 'phantom' else 'missing' end) as shape,
    case
        when pairs.shape = 'match' then 'match'
        when pairs.shape = 'timing' then 'skew'
        -- Nobody looked at the target afterwards.
        when a.scale_event_id is null and c.reconcile_id is not null and c.actual is null then 'undecidable'
        else 'divergent'
    end as verdict,
    a.writer_class,
    a.writer_name,
    a.evidence_level
from predicted as p
left join pairs on pairs.predicted_id = p.scale_event_id
full join actual_events as a on a.scale_event_id = pairs.actual_id
left join compared as c on c.reconcile_id = p.reconcile_id
order by hpa_uid, coalesce(a.at_lo, p.at_hi);
