-- Which HPAs were raised by a rollout, while its surge pods counted, or its first pods were gone?
-- One row per HPA. A scale-up within ten minutes of a rollout, while there were more pods than asked for: the metric that decided
-- counted them, and with as many as were asked for it asks for fewer. Or while there were fewer, where an average over the pods that
-- there were left its tolerance, and the same over the pods that were asked for did not.
-- Needs: relation.rollouts
with raised as (
    select
        r.reconcile_id, r.hpa_uid, r.ts, r.spec_replicas, r.raw_desired, r.desired, r.min_replicas, r.status_replicas, o.started_at,
        r.status_replicas - r.spec_replicas as surge
    from ran as r
    asof join runs.rollouts as o on o.hpa_uid = r.hpa_uid and o.started_at <= r.ts
    where r.is_raised and r.ts < o.started_at + interval 10 minutes and r.status_replicas <> r.spec_replicas
), decided_by as (
    select
        x.*, coalesce(p.unready_pods + p.missing_pods, 0) as uncounted,
        p.ratio, p.tolerance,
        -- The controller divides such a metric by status.replicas, which the rollout changes; what pods use has no such divisor.
        p.metric_type in ('Object', 'External') and p.target_type = 'AverageValue' as is_divided,
        p.ratio * x.status_replicas / nullif(x.spec_replicas, 0) as ratio_of_spec,
        coalesce((
            select max(o.proposal)
            from runs.metric_proposals as o
            where o.reconcile_id = x.reconcile_id and o.valid and o.metric_idx <> p.metric_idx
        ), 0) as by_others,
        p.metric_type in ('Object', 'External') as is_total,
        case
            -- Divided by as many pods as were asked for, it may not have left its tolerance. Beyond it no pod counts.
            when is_divided then if(abs(ratio_of_spec - 1) <= p.tolerance, x.spec_replicas, ceil(p.ratio * x.status_replicas - 1e-9))
            -- Within the tolerance some releases return the pods that there are.
            when abs(p.ratio - 1) <= p.tolerance then if(p.proposal = x.status_replicas, x.spec_replicas, p.proposal)
            -- Surge pods that do not count as ready add nothing.
            when p.ready_pods > x.spec_replicas then ceil(p.ratio * x.spec_replicas - 1e-9)
            else p.proposal
        end as by_metric
    from raised as x
    join runs.metric_proposals as p on p.reconcile_id = x.reconcile_id and p.is_winner
    where isfinite(p.ratio)
), counted_pods as (
    select *, greatest(by_metric, by_others, min_replicas) as without_surge
    from decided_by
    where if(
        surge > 0,
        -- What memory asks for beyond the metrics, no surge raised.
        greatest(by_metric, by_others, min_replicas) < desired and desired <= raw_desired,
        is_divided and ratio_of_spec <= 1 + tolerance
    )
)
select
    hpa_uid, min(started_at) as first_at, max(ts) as last_at, 'medium' as severity,
    if(
        arg_max(surge, largest) > 0,
        format(
            'during a rollout the replicas rose from {} to {}, and {} counted: without {} the metric asks for {:.0f}{}',
            arg_max(spec_replicas, largest), arg_max(desired, largest), counted(arg_max(surge, largest), 'surge pod'),
            if(arg_max(surge, largest) = 1, 'it', 'them'), arg_max(without_surge, largest),
            -- What pods use each may rise where they are fewer.
            if(arg_max(is_total, largest), '', ' at the same average')
        ),
        format(
            'a rollout raised the replicas from {} to {}, while {} of {} pods were gone: an average over all of them would '
            'have been within its tolerance',
            arg_max(spec_replicas, largest), arg_max(desired, largest), -arg_max(surge, largest),
            arg_max(spec_replicas, largest)
        )
    ) as verdict,
    json_object(
        'rollouts', count(distinct started_at), 'before', arg_max(spec_replicas, largest),
        'most', arg_max(desired, largest), 'surge', arg_max(surge, largest), 'uncounted', arg_max(uncounted, largest),
        'without_surge', if(arg_max(surge, largest) > 0, arg_max(without_surge, largest)::bigint, null)
    ) as evidence,
    if(
        arg_max(surge, largest) > 0,
        'lower maxSurge, or add a scale-up stabilization window that is as long as the start of a pod',
        'set maxUnavailable to 0, or add a scale-up stabilization window that is as long as the start of a pod'
    ) as next_step
-- The numbers are of one scale-up: of the largest, and among equals of the last.
from (select *, (desired - spec_replicas, ts) as largest from counted_pods)
group by hpa_uid;
