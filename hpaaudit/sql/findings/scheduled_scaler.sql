-- Which HPAs have a target, or bounds, that one writer changes at the same time each day?
-- One row per HPA: within the same five minutes of at least two days.
-- Needs: writer.operator writer.kubectl writer.deploy_tool writer.gitops writer.person writer.keda writer.autoscaler spec.changed
with writes as (
    select hpa_uid, at_hi as ts, writer_name as who, 'replicas' as what
    from runs.scale_events
    where source = 'actual' and writer_class not in ('hpa', 'unknown')
    union all
    -- The first sight of a spec is no edit: its writer may have written it long ago.
    select hpa_uid, valid_from, writer_manager, 'spec'
    from (from runs.hpa_specs qualify valid_from > min(valid_from) over (partition by hpa_uid))
    where writer_manager <> ''
), slots as (
    select
        w.hpa_uid, w.who, w.what, min(w.ts) as first_at, max(w.ts) as last_at, count(distinct w.ts::date) as days,
        strftime(min(w.ts), '%H:%M') as at_time
    from writes as w
    cross join runs.recordings as i
    where w.ts between i.started_at and i.ended_at
    group by w.hpa_uid, w.who, w.what, (epoch(w.ts)::bigint % 86400) // 300
    having count(distinct w.ts::date) >= 2
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, 'medium' as severity,
    format(
        '{} writes the {} at {}Z, on {}', any_value(who order by days desc, at_time, who, what),
        any_value(what order by days desc, at_time, who, what),
        any_value(at_time order by days desc, at_time, who, what),
        counted(max(days), 'day')
    ) as verdict,
    json_object('days', max(days), 'times_of_day', count(*)) as evidence,
    'let the schedule change minReplicas and maxReplicas, never replicas' as next_step
from slots
group by hpa_uid;
