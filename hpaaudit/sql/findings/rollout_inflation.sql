-- Which HPAs were raised by a rollout, while its surge pods were there, or its first pods were gone?
-- One row per HPA. A scale-up within ten minutes of a rollout, while there were more pods than asked for; or fewer, where an
-- average over the pods that there were left its tolerance, and the same over the pods that were asked for did not.
-- Needs: relation.rollouts
with raised as (
    select r.reconcile_id, r.hpa_uid, r.ts, r.spec_replicas, r.desired, o.started_at, o.revision,
        r.status_replicas,
        r.status_replicas - r.spec_replicas as surge
    from ran as r
    asof join runs.rollouts as o on o.hpa_uid = r.hpa_uid and o.started_at <= r.ts
    where r.is_raised and r.ts < o.started_at + interval 10 minutes and r.status_replicas <> r.spec_replicas
), counted_pods as (
    select x.*, coalesce(p.unready_pods + p.missing_pods, 0) as uncounted
    from raised as x
    join runs.metric_proposals as p on p.reconcile_id = x.reconcile_id and p.is_winner
    -- The controller divides such a metric by status.replicas, which the rollout lowers; what pods use has no such divisor.
    where x.surge > 0
        or p.metric_type in ('Object', 'External') and p.target_type = 'AverageValue'
            and p.ratio * x.status_replicas / x.spec_replicas <= 1 + p.tolerance
)
select
    hpa_uid, min(started_at) as first_at, max(ts) as last_at, 'medium' as severity,
    if(
        arg_max(surge, largest) > 0,
        format(
            'a rollout raised the replicas from {} to {}, while {} were surge and {} did not count yet',
            arg_max(spec_replicas, largest), arg_max(desired, largest), arg_max(surge, largest),
            arg_max(uncounted, largest)
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
        'most', arg_max(desired, largest), 'surge', arg_max(surge, largest), 'uncounted', arg_max(uncounted, largest)
    ) as evidence,
    if(
        arg_max(surge, largest) > 0,
        'lower maxSurge, or add a scale-up stabilization window that is as long as the start of a pod',
        'set maxUnavailable to 0, or add a scale-up stabilization window that is as long as the start of a pod'
    ) as next_step
-- The numbers are of one scale-up: of the largest, and among equals of the last.
from (select *, (desired - spec_replicas, ts) as largest from counted_pods)
group by hpa_uid;
