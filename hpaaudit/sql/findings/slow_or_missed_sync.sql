-- Which HPAs were not reconciled when they were due, although the controller ran?
-- One row per HPA.
-- Needs: not_run.missed_reconcile not_run.controller_hung
with late as (
    select
        hpa_uid, ts, lasted_s,
        count(distinct hpa_uid) over (partition by date_trunc('minute', ts)) as hpas
    from runs.reconciles
    where class in ('not_run.missed_reconcile', 'not_run.controller_hung')
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(0, 0, sum(lasted_s)) as severity,
    format(
        'not reconciled for {} s, in {} that were due; {} stood still in the same minute', round(sum(lasted_s))::bigint,
        counted(count(*), 'reconcile'), counted(max(hpas) - 1, 'other HPA')
    ) as verdict,
    json_object('reconciles', count(*), 'blind_s', round(sum(lasted_s), 6), 'hpas', max(hpas)) as evidence,
    'raise concurrent-horizontal-pod-autoscaler-syncs, and look for a metrics API that answers slowly' as next_step
from late
group by hpa_uid;
