-- Which HPAs have a target whose replicas an operator writes too?
-- One row per HPA. Canary controllers and writers that come at the same time each day are patterns of their own.
-- Needs: writer.operator
select
    e.hpa_uid, min(e.at_hi) as first_at, max(e.at_hi) as last_at, 'high' as severity,
    format(
        '{} wrote the replicas {}, {} {}', enumerated(list(distinct e.writer_name order by e.writer_name)),
        counted(count(*), 'time'),
        -- Of several that occur as often none is the one that occurs most.
        if(
            count(*) > 1 and len(list_filter(map_values(histogram(e.to_replicas)), lambda n: n = list_max(map_values(histogram(e.to_replicas))))) > 1,
            'for example', 'most often'
        ),
        mode(e.to_replicas order by e.to_replicas)
    ) as verdict,
    json_object(
        'writes', count(*), 'number', mode(e.to_replicas order by e.to_replicas),
        'pods', sum(abs(e.to_replicas::bigint - e.from_replicas))
    ) as evidence,
    'let the operator leave replicas alone where an HPA exists' as next_step
from runs.scale_events as e
cross join runs.recordings as i
where e.source = 'actual'
    and e.writer_class = 'operator'
    and not regexp_matches(e.writer_name, '(?i)(rollouts-controller|flagger|downscaler|cron)')
    and e.at_hi between i.started_at and i.ended_at
group by e.hpa_uid;
