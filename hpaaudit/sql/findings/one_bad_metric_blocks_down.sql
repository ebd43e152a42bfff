-- Which HPAs did not scale down, because one of their metrics was unusable?
-- One row per HPA.
-- Needs: gate.partial_metrics_block_down gate.metric_failed
with blocked as (
    select reconcile_id, hpa_uid, ts, lasted_s, spec_replicas, min_replicas
    from ran
    where reason_code in ('gate.partial_metrics_block_down', 'gate.metric_failed')
), asked as (
    select
        b.reconcile_id,
        max(p.proposal) filter (p.valid) as best,
        arg_min(p.metric_name, p.metric_idx) filter (not p.valid) as metric_name,
        arg_min(p.invalid_code, p.metric_idx) filter (not p.valid) as invalid_code
    from runs.metric_proposals as p
    join blocked as b using (reconcile_id)
    group by b.reconcile_id
), kept as (
    select
        b.hpa_uid, b.ts, b.lasted_s, a.metric_name, a.invalid_code,
        greatest(b.spec_replicas - greatest(a.best, b.min_replicas), 0) as pods
    from blocked as b
    join asked as a using (reconcile_id)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(0, sum(pods * lasted_s), sum(lasted_s)) as severity,
    format(
        '{} was unusable for {} s, so that nothing {}', mode(metric_name order by metric_name), round(sum(lasted_s))::bigint,
        if(max(pods) > 0, format('scaled down: up to {} kept', counted(max(pods), 'pod')), 'could scale down')
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'spare_pod_seconds', round(sum(pods * lasted_s), 6), 'metric', mode(metric_name order by metric_name),
        'invalid_code', mode(invalid_code order by invalid_code)
    ) as evidence,
    'repair the source of this metric, or remove a metric that is absent by design' as next_step
from kept
group by hpa_uid
having sum(lasted_s) >= 60;
