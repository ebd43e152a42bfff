-- Which HPAs showed a status that is not what was decided on?
-- One row per HPA.
-- Needs: report.stale_metric report.wrong_condition
with by_class as (
    select hpa_uid, class, min(ts) as first_at, max(ts) as last_at, count(*) as statuses
    from runs.reports
    where class in ('report.stale_metric', 'report.wrong_condition')
    group by hpa_uid, class
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, 'low' as severity,
    'the status showed ' || string_agg(
        format(
            '{} {}', if(class = 'report.stale_metric', 'a metric that was not usable', 'conditions of another decision'),
            counted(statuses, 'time')
        ),
        ', and ' order by statuses desc, class
    ) as verdict,
    json_object('statuses', sum(statuses)::bigint, 'class', arg_min(class, (-statuses, class))) as evidence,
    'read the decision (explain) in place of the status' as next_step
from by_class
group by hpa_uid;
