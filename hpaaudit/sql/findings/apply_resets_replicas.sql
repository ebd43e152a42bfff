-- Which HPAs lost their replicas to a deploy tool that sets spec.replicas?
-- One row per HPA.
-- Needs: writer.deploy_tool
select
    hpa_uid, min(at_hi) as first_at, max(at_hi) as last_at, 'high' as severity,
    format(
        '{} set the replica count {}', enumerated(list(distinct writer_name order by writer_name)), counted(count(*), 'time')
    ) as verdict,
    json_object('writes', count(*), 'pods', sum(abs(to_replicas::bigint - from_replicas))) as evidence,
    'remove spec.replicas from the chart or manifest' as next_step
from runs.scale_events
where source = 'actual' and writer_class = 'deploy_tool'
    and at_hi between (select started_at from runs.recordings) and (select ended_at from runs.recordings)
group by hpa_uid;
