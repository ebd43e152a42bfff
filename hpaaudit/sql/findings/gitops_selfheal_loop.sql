-- Which HPAs and GitOps controllers undo each other's replicas?
-- One row per HPA. At least twice one undid the other within five minutes, on one target.
-- Needs: writer.gitops
with changes as (
    select
        e.hpa_uid, e.at_hi as ts, e.from_replicas, to_replicas, writer_class, writer_name,
        lag(at_hi) over one as ts_before,
        lag(from_replicas) over one as from_before,
        lag(writer_class) over one as class_before,
        lag(writer_name) over one as name_before
    from runs.scale_events as e
    -- What was written to another target undoes nothing here: scaleTargetRef may have been edited.
    asof left join tenures as t on t.hpa_uid = e.hpa_uid and t.valid_from <= e.at_hi
    where e.source = 'actual'
    window one as (partition by e.hpa_uid, t.valid_from order by e.at_hi, e.scale_event_id)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    if(count(*) >= 4, 'critical', 'high') as severity,
    format(
        '{} and the HPA overwrote each other, {} and {} times, between {} and {} replicas',
        enumerated(list_sort(list(distinct if(writer_class = 'gitops', writer_name, name_before)))),
        count(*) filter (writer_class = 'gitops'), count(*) filter (writer_class = 'hpa'),
        min(least(from_replicas, to_replicas)), max(greatest(from_replicas, to_replicas))
    ) as verdict,
    json_object(
        'times', count(*), 'median_s', median(epoch_us(ts) - epoch_us(ts_before)) / 1e6,
        'pods', sum(abs(to_replicas::bigint - from_replicas))
    ) as evidence,
    'leave spec.replicas out of the manifests, or ignore that field in the sync' as next_step
from changes
where [writer_class, class_before] in (['gitops', 'hpa'], ['hpa', 'gitops'])
    and (to_replicas = from_before or sign(to_replicas::bigint - from_replicas) = sign(from_before::bigint - from_replicas))
    and ts <= ts_before + interval 5 minutes
group by hpa_uid
having count(*) >= 2;
