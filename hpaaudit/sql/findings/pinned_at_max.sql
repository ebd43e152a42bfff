-- Which HPAs were limited by maxReplicas although metrics asked for more?
-- One row per HPA.
-- Needs: bound.max
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    case when sum(lasted_s) >= 600 then 'high' else 'medium' end as severity,
    format(
        'metrics asked for {} replicas, maxReplicas was {}',
        arg_max(raw_desired, (raw_desired::bigint - max_replicas, ts)),
        range_in_words(min(max_replicas), max(max_replicas))
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6),
        'wanted', arg_max(raw_desired, (raw_desired::bigint - max_replicas, ts)),
        'max_replicas', arg_max(max_replicas, (raw_desired::bigint - max_replicas, ts))
    ) as evidence,
    'raise maxReplicas, or accept it: the question pinned_at_max counts the missing pods' as next_step
from ran
-- What memory alone asks for beyond maxReplicas, for example after maxReplicas was lowered, is no missing pod.
where reason_code = 'bound.max' and raw_desired > max_replicas
group by hpa_uid;
