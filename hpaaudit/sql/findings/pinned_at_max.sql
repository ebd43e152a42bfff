-- Which HPAs were limited by maxReplicas although metrics asked for more?
-- One row per HPA.
-- Needs: bound.max policy.up_limit policy.legacy_up_limit
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    case when sum(lasted_s) >= 600 then 'high' else 'medium' end as severity,
    format(
        'metrics asked for {} replicas, maxReplicas was {}{}',
        arg_max(raw_desired, (raw_desired::bigint - max_replicas, ts)),
        arg_max(max_replicas, (raw_desired::bigint - max_replicas, ts)),
        -- The other bounds were those of other times: nobody asked for so many then.
        if(
            min(max_replicas) < max(max_replicas),
            format(' then, and in all {}', range_in_words(min(max_replicas), max(max_replicas))), ''
        )
    ) || case
        when bool_and(reason_code <> 'bound.max') then ', and the scale-up policies allowed no more either'
        when bool_or(reason_code <> 'bound.max') then ', and for a part of the time the scale-up policies allowed no more either'
        else ''
    end as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6),
        'wanted', arg_max(raw_desired, (raw_desired::bigint - max_replicas, ts)),
        'max_replicas', arg_max(max_replicas, (raw_desired::bigint - max_replicas, ts))
    ) as evidence,
    if(
        bool_and(reason_code = 'policy.up_limit'), 'raise maxReplicas and loosen behavior.scaleUp, or accept it',
        'raise maxReplicas, or accept it: the question pinned_at_max counts the missing pods'
    ) as next_step
from ran
where pinned_at_maximum(reason_code, raw_desired, desired, max_replicas, limited_reason)
group by hpa_uid;
