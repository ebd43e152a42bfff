-- Which replicas did the target have after a reconcile, if the next reconcile does not show it?
-- One row per reconcile that is the last one of its target, or after which the scale could not be read: the last observed
-- scale, or NULL if none was observed after a decision to scale.
create temp table last_actual as
with lone as (
    select
        s.reconcile_id, h.hpa_uid, t.valid_from as target_since, s.ts,
        -- What the target had when it was made again is no number of the one that was scaled.
        coalesce(
            (
                select min(m.observed_at)
                from remakes as m
                where m.hpa_uid = h.hpa_uid and m.observed_at > s.ts and m.observed_at <= s.until
            ) - interval 1 microsecond,
            s.until
        ) as until,
        getvariable('texts').action[r.action + 1] = 'hold' as is_hold
    from spans as s
    join replayed_hpas as h using (hpa)
    join staged.replayed as r using (reconcile_id)
    asof left join tenures as t on t.hpa_uid = h.hpa_uid and s.ts >= t.valid_from
    where s.next_spec_replicas is null
)
select
    s.reconcile_id,
    -- What was read just when it decided is what it read itself.
    case
        when t.observed_at > s.ts or t.observed_at = s.ts and t.source <> 'read' or s.is_hold then t.spec_replicas
    end as actual
from lone as s
asof join (
    select hpa_uid, target_since, observed_at, arg_max(spec_replicas, seq) as spec_replicas, arg_max(source, seq) as source
    from runs.scale_states
    group by hpa_uid, target_since, observed_at
) as t
    on s.hpa_uid = t.hpa_uid and s.target_since = t.target_since and s.until >= t.observed_at;
