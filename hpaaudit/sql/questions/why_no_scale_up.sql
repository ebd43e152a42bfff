-- Why was there no scale-up although a metric stood above its target, or because one could not be read?
-- One row per HPA, reason and invalid_code.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reason_code: why the reconciles did not scale up
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
)
select
    r.namespace, r.name, r.reason_code,
    case when starts_with(r.reason_code, 'gate.') then coalesce(u.invalid_code, '') else '' end as invalid_code,
    count(distinct r.reconcile_id) as reconciles,
    min(r.ts) as first_at,
    max(r.ts) as last_at,
    round(max(p.ratio), 3) as worst_ratio
from reconciles as r
left join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.valid
left join unusable as u on u.reconcile_id = r.reconcile_id
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and coalesce(r.desired <= r.spec_replicas, true)
    and coalesce(r.decided <= r.spec_replicas, true)
    -- Up to 1.11 a window may forbid what was written a moment ago.
    and coalesce(not (starts_with(r.reason_code, 'window.') and r.raw_desired <= r.spec_replicas), true)
    -- In a gap of the recording nobody knows what the controller read.
    and has_inputs(r.class)
    and (
        p.ratio > 1
        or starts_with(r.reason_code, 'gate.') and r.reason_code not in ('gate.scaled_to_zero', 'gate.above_max')
    )
group by r.namespace, r.name, r.reason_code, 4
order by reconciles desc, r.namespace, r.name, r.reason_code, invalid_code;
