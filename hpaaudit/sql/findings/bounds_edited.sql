-- Which HPAs scaled only because somebody changed minReplicas or maxReplicas?
-- One row per HPA.
-- Needs: spec.changed
with specs as (
    select
        hpa_uid, valid_from, min_replicas, max_replicas, writer_manager,
        lag(min_replicas) over one as min_before,
        lag(max_replicas) over one as max_before
    from runs.hpa_specs
    window one as (partition by hpa_uid order by valid_from)
), edits as (
    select *
    from specs
    where max_before is not null and (min_replicas, max_replicas) is distinct from (min_before, max_before)
), enforced as (
    select r.hpa_uid, r.ts, r.spec_replicas, r.desired, e.valid_from, e.writer_manager, e.min_before, e.min_replicas,
        e.max_before, e.max_replicas
    from ran as r
    asof join edits as e on e.hpa_uid = r.hpa_uid and e.valid_from <= r.ts
    where (
            r.reason_code in ('gate.above_max', 'gate.below_min')
            -- A bound that is loosened lets the load do what it forbade.
            or r.reason_code = 'bound.min' and r.desired > r.spec_replicas
            or r.reason_code = 'bound.max' and r.desired < r.spec_replicas
        )
        and r.action <> 'hold'
        -- What was refused, or changed by admission, enforced nothing.
        and not starts_with(coalesce(r.class, ''), 'write_')
        and r.ts < e.valid_from + interval 1 minute
)
select
    hpa_uid, min(valid_from) as first_at, max(ts) as last_at, 'low' as severity,
    format(
        '{} changed {} to {} replicas into {} to {}, and the HPA enforced it: {} -> {}',
        coalesce(nullif(arg_min(writer_manager, ts), ''), 'somebody'), coalesce(arg_min(min_before, ts), 1),
        arg_min(max_before, ts), coalesce(arg_min(min_replicas, ts), 1), arg_min(max_replicas, ts),
        arg_min(spec_replicas, ts), arg_min(desired, ts)
    ) as verdict,
    json_object('edits', count(distinct valid_from)) as evidence,
    'decide who owns the bounds' as next_step
from enforced
group by hpa_uid;
