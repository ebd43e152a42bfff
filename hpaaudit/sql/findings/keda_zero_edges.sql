-- Which HPAs have a target that KEDA switches on and off?
-- One row per HPA. That is what KEDA is for: the steps between 0 and 1 are its own, not the HPA's.
-- Needs: writer.keda
select
    e.hpa_uid, min(e.at_hi) as first_at, max(e.at_hi) as last_at, 'info' as severity,
    format(
        'KEDA switched the target on {} and off {}', counted(count(*) filter (e.from_replicas = 0), 'time'),
        counted(count(*) filter (e.to_replicas = 0), 'time')
    ) as verdict,
    json_object('writes', count(*)) as evidence,
    'nothing; cooldownPeriod and the activation thresholds of the triggers decide when' as next_step
from runs.scale_events as e
where e.source = 'actual' and e.writer_class = 'keda' and (e.from_replicas = 0 or e.to_replicas = 0)
group by e.hpa_uid;
