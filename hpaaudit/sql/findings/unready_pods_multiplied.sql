-- Which HPAs raised the replicas for pods that were not ready, since an Object or External value multiplied them all (to 1.10)?
-- One row per HPA. Another metric of the same reconcile found pods that were not ready, and the ready ones alone would have asked
-- for fewer.
-- Needs: Object External
with raised as (
    select
        r.hpa_uid, r.ts, r.spec_replicas, r.desired, w.metric_label,
        ceil(w.ratio * max(o.ready_pods)) as of_ready, max_by(o.unready_pods, o.ready_pods) as unready_pods
    from ran as r
    join runs.metric_proposals as w on w.reconcile_id = r.reconcile_id and w.is_winner
    join runs.metric_proposals as o on o.reconcile_id = r.reconcile_id and o.valid and o.unready_pods > 0
    where r.is_raised
        and w.metric_type in ('Object', 'External')
        and w.target_type = 'Value'
        and isfinite(w.ratio)
        and (
            select max(minor_release(value)) < 11
            from runs.assumptions
            where key = 'release'
        )
    group by r.hpa_uid, r.ts, r.spec_replicas, r.desired, w.metric_label, w.ratio
    having of_ready < r.desired
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, if(count(*) >= 2, 'critical', 'medium') as severity,
    format(
        '{} raised {} to {} in {}, pods that were not ready included: {} of {} at the last, of which the ready ones asked for {}',
        mode(metric_label order by metric_label), arg_min(spec_replicas, ts), arg_max(desired, ts), counted(count(*), 'step'),
        arg_max(unready_pods, ts), arg_max(spec_replicas, ts), arg_max(of_ready, ts)::bigint
    ) as verdict,
    json_object('steps', count(*), 'pods_beyond', arg_max(desired - of_ready, ts)::bigint) as evidence,
    'let the metric have an average target (targetAverageValue), or use 1.11 or newer, where only ready pods are multiplied' as next_step
from raised
group by hpa_uid;
