-- Where a failed metric or pods without a sample forbade a scale-down: what would memory have kept all the same?
-- One row per such reconcile. Pods without a sample keep up what is recommended, so of them only the other reconciles count.
-- Columns:
--   reconcile_id: of `reconciles`
--   replicas: the most that was recommended within the window of a scale-down; NULL: nothing known
--   is_whole: all that the window may hold was seen; else more may have been recommended before, or meanwhile
create view main.remembered_replicas as
with blocked as (
    select distinct replay_id, hpa_uid
    from main.reconciles
    where reason_code in ('gate.partial_metrics_block_down', 'gate.metric_failed')
        or starts_with(reason_code, 'adjust.') and unheld < desired
), flag as (
    select max(try_cast(rtrim(value, 's') as double)) as seconds
    from main.assumptions
    where key = 'downscale-stabilization'
), begun as (
    -- The first reconcile of a process, or of a new HPA, remembers the replicas that it found.
    select
        r.hpa_uid, r.epoch_id, min(r.ts) as ts,
        arg_min(r.spec_replicas, (r.ts, r.reconcile_id))::bigint as replicas
    from main.reconciles as r
    join blocked using (replay_id, hpa_uid)
    join main.recordings as i using (replay_id)
    left join main.hpas as h using (replay_id, hpa_uid)
    left join main.controller_epochs as e using (replay_id, epoch_id)
    group by r.hpa_uid, r.epoch_id
    having coalesce(any_value(h.created_at) > any_value(i.started_at), false)
        or coalesce(any_value(r.epoch_id) > 0 and coalesce(any_value(e.acquired_at) > any_value(i.started_at), true), false)
), windows as (
    select
        r.replay_id, r.reconcile_id, r.hpa_uid, r.epoch_id, r.ts, r.reason_code, r.raw_desired::bigint as raw_desired,
        r.ts - i.started_at as seen, has_inputs(r.class) and r.verdict <> 'undecidable' as is_known,
        to_seconds(scale_down_window(s.behavior, f.seconds)) as remembered,
        starts_with(r.reason_code, 'adjust.') as is_adjusted, coalesce(r.unheld < r.desired, false) as is_held_up
    from main.reconciles as r
    join blocked using (replay_id, hpa_uid)
    join main.recordings as i using (replay_id)
    cross join flag as f
    left join main.hpa_specs as s
        on s.hpa_uid = r.hpa_uid
        and r.ts >= s.valid_from
        and r.ts < coalesce(s.valid_to, 'infinity')
), recent as (
    -- A process knows nothing of the one before it.
    select
        *,
        if(is_adjusted, max(raw_desired) filter (is_known and not is_adjusted) over one, max(raw_desired) filter (is_known) over one)
            as replicas,
        coalesce(bool_and(is_known) over one, true) as is_seen
    from windows
    window one as (
        partition by hpa_uid, epoch_id
        order by ts
        range between remembered preceding and interval 1 microsecond preceding
    )
)
select
    r.replay_id, r.reconcile_id,
    greatest(r.replicas, if(b.ts >= r.ts - r.remembered, b.replicas, null)) as replicas,
    r.is_seen and (b.ts is not null or r.seen >= r.remembered) as is_whole
from recent as r
left join begun as b on b.hpa_uid = r.hpa_uid and b.epoch_id is not distinct from r.epoch_id
where r.reason_code in ('gate.partial_metrics_block_down', 'gate.metric_failed') or r.is_adjusted and r.is_held_up;
