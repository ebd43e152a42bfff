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
            -- The bound before would have allowed the number that stood. One that is loosened lets the load do what it forbade.
            r.reason_code in ('gate.above_max', 'bound.max')
                and r.desired < r.spec_replicas
                and e.max_replicas < e.max_before
                and r.spec_replicas <= e.max_before
            or r.reason_code in ('gate.below_min', 'bound.min')
                and r.desired > r.spec_replicas
                and coalesce(e.min_replicas, 1) > coalesce(e.min_before, 1)
                and r.spec_replicas >= coalesce(e.min_before, 1)
        )
        and r.action <> 'hold'
        -- What somebody else wrote since may be outside of the bounds by that write.
        and not exists (
            from runs.scale_events as w
            where w.hpa_uid = r.hpa_uid
                and w.source = 'actual'
                and w.writer_class <> 'hpa'
                and w.at_hi > e.valid_from
                and w.at_hi <= r.ts
        )
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
