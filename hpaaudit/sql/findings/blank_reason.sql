-- Which HPAs raised the replicas by an earlier recommendation, so that the Event names no reason, or a wrong one?
-- One row per HPA.
-- Needs: scale_up.by_memory
with raised as (
    select s.reconcile_id
    from runs.decision_steps as s
    where s.code = 'stabilize.legacy_raise' and s.binding
    union
    -- With `numbers` there are no steps, but the numbers show it: no behavior, and without memory the number would differ.
    select r.reconcile_id
    from runs.reconciles as r
    join runs.replays as p on p.replay_id = r.replay_id and p.detail = 'numbers'
    join runs.hpa_specs as h
        on h.hpa_uid = r.hpa_uid
        and h.behavior is null
        and r.ts >= h.valid_from
        and r.ts < coalesce(h.valid_to, 'infinity')
    where r.stabilized > r.spec_replicas
        and r.desired <> within_bounds(r.raw_desired, r.min_replicas, r.max_replicas)
), windows as (
    select replay_id, rtrim(value, 's')::double as seconds
    from runs.assumptions
    where key = 'downscale-stabilization'
)
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, 'low' as severity,
    -- Where the metrics ask for fewer than there are, the Event says so, although the replicas rise.
    format(
        'an earlier recommendation, not load, raised the replicas {}: the Event {}', counted(count(*), 'time'),
        case
            when bool_and(is_blank) then 'names no reason'
            when bool_or(is_blank) then 'names no reason, or one for a scale-down'
            else 'names a reason for a scale-down'
        end
    ) as verdict,
    json_object('reconciles', count(*)) as evidence,
    -- Without another writer it was a limit that kept the replicas below what was recommended.
    case
        when bool_or(w.at_hi >= r.ts - to_seconds(n.seconds)) then 'find out who lowered the replicas before: the question what_happened lists it'
        when bool_or(s.turned_at >= r.ts - to_seconds(n.seconds) and s.is_remade)
            then 'nothing: that was recommended to the HPA of this name that was deleted before'
        when bool_or(s.turned_at >= r.ts - to_seconds(n.seconds))
            then 'nothing: that was recommended for the target that the HPA scaled before'
        else 'nothing: the replicas became what was recommended before, when a limit or policy allowed fewer'
    end as next_step
from raised
join (select *, coalesce(scale_reason = '', raw_desired = spec_replicas) as is_blank from ran) as r using (reconcile_id)
asof left join (
    from runs.scale_events
    where source = 'actual' and writer_class <> 'hpa' and to_replicas < from_replicas
) as w
    on w.hpa_uid = r.hpa_uid
    and w.at_hi <= r.ts
asof left join (
    -- is_remade: it has the target of the HPA of its name that was there before.
    select hpa_uid, valid_from as turned_at, lag(target) over (partition by namespace, name order by valid_from) = target as is_remade
    from tenures
    qualify row_number() over (partition by namespace, name order by valid_from) > 1
) as s
    on s.hpa_uid = r.hpa_uid
    and s.turned_at <= r.ts
left join windows as n on n.replay_id = r.replay_id
-- A memory that only keeps the current number raises nothing.
where r.raw_desired <= r.spec_replicas and r.desired > r.spec_replicas
    -- Of what cannot be decided, or was decided otherwise, only the replay may have raised anything.
    and r.is_raised
    -- What was refused, or decided otherwise, raised nothing.
    and not starts_with(coalesce(r.class, ''), 'write_failed.') and r.class is distinct from 'unexplained'
group by r.hpa_uid;
