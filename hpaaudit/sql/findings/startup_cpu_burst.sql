-- Which HPAs scaled up by the CPU that new pods use while they start?
-- One row per HPA. Only where the pods of the reconcile were kept: the older pods alone were within the tolerance.
-- Needs: relation.reconcile_pods
with ups as (
    select r.reconcile_id, r.hpa_uid, r.ts, r.spec_replicas, r.desired, p.metric_idx, p.target, p.tolerance
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.is_raised
        and p.metric_type = 'Resource'
        and p.metric_name = 'cpu'
        and p.target_type = 'Utilization'
        and p.ratio > 1 + p.tolerance
), measured as (
    select
        u.hpa_uid, u.reconcile_id, u.ts, u.spec_replicas, u.desired, u.target, u.tolerance,
        count(*) filter (d.created_at > u.ts - interval 5 minutes) as young,
        sum(c.value_milli) filter (d.created_at <= u.ts - interval 5 minutes) as old_value,
        sum(c.request_milli) filter (d.created_at <= u.ts - interval 5 minutes) as old_request
    from ups as u
    join runs.reconcile_pods as c on c.reconcile_id = u.reconcile_id and c.metric_idx = u.metric_idx
    join runs.pods as d using (pod_uid)
    where c.bucket = 'ready'
    group by all
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'medium' as severity,
    format(
        '{} younger than 5 minutes raised {} to {} replicas: the older ones were at {} % of their request, the target is {} %',
        counted(arg_max(young, ts), 'pod'), arg_max(spec_replicas, ts), arg_max(desired, ts),
        arg_max(100 * old_value // old_request, ts), arg_max(target, ts)
    ) as verdict,
    json_object('scale_ups', count(*), 'pods', max(young)) as evidence,
    'let readiness wait until the start is over, or add a stabilization window for scale-ups' as next_step
from measured
where young > 0 and 100.0 * old_value <= old_request * target * (1 + tolerance)
group by hpa_uid;
