-- Which HPAs scaled down although their behavior disables that?
-- One row per HPA.
-- Needs: writer.hpa
select
    e.hpa_uid, min(e.at_hi) as first_at, max(e.at_hi) as last_at, 'medium' as severity,
    format(
        '{} -> {} although selectPolicy of scaleDown is Disabled', arg_min(e.from_replicas, e.at_hi),
        arg_min(e.to_replicas, e.at_hi)
    ) as verdict,
    json_object('times', count(*), 'pods', sum(e.from_replicas - e.to_replicas)) as evidence,
    'use minReplicas as the floor: a lower maxReplicas, or a restart of the controller, passes the policy by' as next_step
from runs.scale_events as e
join runs.hpa_specs as s
    on s.hpa_uid = e.hpa_uid
    and e.at_hi >= s.valid_from
    and e.at_hi < coalesce(s.valid_to, 'infinity')
where e.source = 'actual'
    and e.writer_class = 'hpa'
    and e.to_replicas < e.from_replicas
    and json_extract_string(s.behavior, '$.scaleDown.selectPolicy') = 'Disabled'
group by e.hpa_uid;
