-- Why was there no scale-up although a metric stood above its target, or because one could not be read?
-- One row per HPA, reason and invalid_code.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reason_code: why the reconciles did not scale up; of a number that came to nothing the class: `not_run.*`, `write_failed.*`, `write_mutated.*`
--   invalid_code: why a metric was unusable; empty if none was
--   reconciles: how many reconciles
--   first_at: the first of them
--   last_at: the last of them
--   worst_ratio: the highest ratio of usage to target; NULL if no metric was read, so that nobody knows it
with unusable as (
    select reconcile_id, arg_min(invalid_code, metric_idx) as invalid_code
    from metric_proposals
    where not valid
    group by reconcile_id
), told as (
    select *, coalesce(regexp_matches(class, '^(not_run|write_failed|write_mutated)\.'), false) as is_lost, if(is_lost, class, reason_code) as why
    from reconciles
)
select
    r.namespace, r.name, r.why as reason_code,
    case when starts_with(r.why, 'gate.') then coalesce(u.invalid_code, '') else '' end as invalid_code,
    count(distinct r.reconcile_id) as reconciles,
    min(r.ts) as first_at,
    max(r.ts) as last_at,
    round(max(p.ratio), 3) as worst_ratio
from told as r
left join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.valid
left join unusable as u on u.reconcile_id = r.reconcile_id
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and if(
        r.is_lost,
        r.desired > r.spec_replicas,
        coalesce(r.desired <= r.spec_replicas, true) and coalesce(r.decided <= r.spec_replicas, true)
    )
    -- Up to 1.11 a window may forbid what was written a moment ago.
    and coalesce(not (starts_with(r.reason_code, 'window.') and r.raw_desired <= r.spec_replicas), true)
    -- In a gap of the recording nobody knows what the controller read.
    and (has_inputs(r.class) or r.is_lost)
    and (
        p.ratio > 1
        or starts_with(r.why, 'gate.') and r.reason_code not in ('gate.scaled_to_zero', 'gate.above_max')
    )
group by r.namespace, r.name, r.why, 4
order by reconciles desc, r.namespace, r.name, r.why, invalid_code;
