-- Which HPAs share their target with another HPA?
-- One row per HPA, of the time in which both have the same scaleTargetRef. Not of the moment in which two HPAs exchange
-- their targets, one edit after the other: less than the usual time between two reconciles.
-- Needs: hpas.shared
with pairs as (
    select
        s.hpa_uid, s.target_kind, s.target_name, s.other_name as other, s.since as first_at,
        least(coalesce(s.until, i.ended_at), i.ended_at) as last_at, i.ended_at
    from shared_targets as s
    cross join runs.recordings as i
), by_target as (
    select
        hpa_uid, target_name, min(first_at) as first_at, max(last_at) as last_at, max(ended_at) as ended_at,
        list(distinct other order by other) as others,
        min(min(first_at)) over (partition by hpa_uid) as found_at
    from pairs
    group by hpa_uid, target_kind, target_name
    having max(last_at) = max(ended_at) or max(last_at) - min(first_at) >= (select sync from sync)
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at, 'high' as severity,
    string_agg(
        format(
            '{} {} the target of {} too{}', target_name, if(last_at < ended_at, 'was', 'is'), enumerated(others),
            if(last_at < ended_at, format(', until {}', time_beside(last_at, found_at)), '')
        ),
        '; ' order by first_at, target_name
    ) as verdict,
    json_object('others', list_sort(list_distinct(flatten(list(others))))) as evidence,
    'merge the metrics into one HPA' as next_step
from by_target
group by hpa_uid;
