-- Which HPAs showed a status that is not what was decided on?
-- One row per HPA.
-- Needs: report.stale_metric report.wrong_condition
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format(
        'the status showed {} {}',
        if(mode(class order by class) = 'report.stale_metric', 'a metric that was not usable', 'conditions of another decision'),
        counted(count(*), 'time')
    ) as verdict,
    json_object('statuses', count(*), 'class', mode(class order by class)) as evidence,
    'read the decision (explain) in place of the status' as next_step
from runs.reports
where class in ('report.stale_metric', 'report.wrong_condition')
group by hpa_uid;
