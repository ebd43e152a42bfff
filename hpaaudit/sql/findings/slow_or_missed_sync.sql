-- Which HPAs were not reconciled when they were due, although the controller ran?
-- One row per HPA.
-- Needs: not_run.missed_reconcile not_run.controller_hung
with late as (
    select
        hpa_uid, ts, lasted_s,
        begins_stretch(ts, lag(ts) over one, lag(lasted_s) over one) as is_first,
        count(distinct hpa_uid) over (partition by date_trunc('minute', ts)) as hpas
    from runs.reconciles
    where class in ('not_run.missed_reconcile', 'not_run.controller_hung')
        -- After the last renewal of the Lease that was seen nothing says that a controller ran. One that hangs was seen to renew it.
        and (
            class = 'not_run.controller_hung'
            or ts <= (select max(renewed_at) from runs.controller_epochs)
            or not exists (from runs.controller_epochs where renewed_at is not null)
        )
    window one as (partition by hpa_uid order by ts)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(0, 0, sum(lasted_s)) as severity,
    format(
        'not reconciled {}, in {} that {} due; {} stood still in the same minute',
        lasting(sum(lasted_s), sum(is_first::integer)),
        counted(count(*), 'reconcile'), if(count(*) = 1, 'was', 'were'),
        counted(max(hpas) - 1, 'other HPA')
    ) as verdict,
    json_object('reconciles', count(*), 'blind_s', round(sum(lasted_s), 6), 'hpas', max(hpas)) as evidence,
    'raise concurrent-horizontal-pod-autoscaler-syncs, and look for a metrics API that answers slowly' as next_step
from late
group by hpa_uid;
