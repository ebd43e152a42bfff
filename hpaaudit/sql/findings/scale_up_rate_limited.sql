-- Which HPAs were slower than their load, because a policy allowed only so much at a time?
-- One row per HPA, if that lasted for a minute.
-- Needs: policy.up_limit policy.legacy_up_limit policy.up_disabled
with limited as (
    -- What maxReplicas forbids is not missing by a policy.
    select
        *, least(raw_desired, max_replicas) - desired as missing,
        begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from ran
    where reason_code in ('policy.up_limit', 'policy.legacy_up_limit', 'policy.up_disabled')
        and least(raw_desired, max_replicas) > desired
    window one as (partition by hpa_uid order by ts, reconcile_id)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(sum(missing * lasted_s), 0, 0) as severity,
    -- The numbers of one reconcile stand beside the time of all only where they are those of all.
    format(
        if(
            count(distinct (desired, least(raw_desired, max_replicas))) = 1, '{0} {2} where metrics asked for {3}{4}, {1}',
            '{0} fewer than metrics asked for, {1}: at worst {2} where they asked for {3}{4}'
        ),
        if(bool_and(reason_code = 'policy.up_disabled'), 'scale-up is disabled, which allowed', 'a policy allowed'),
        lasting(sum(lasted_s), sum(is_first::integer)), arg_max(desired, (missing, ts)), arg_max(raw_desired, (missing, ts)),
        arg_max(if(raw_desired > max_replicas, format(' and maxReplicas was {}', max_replicas), ''), (missing, ts))
    ) as verdict,
    json_object('seconds', round(sum(lasted_s), 6), 'short_pod_seconds', round(sum(missing * lasted_s), 6)) as evidence,
    case
        when known_minor < 18 then 'raise minReplicas before a known peak; a behavior, which allows more, is known from 1.18 on'
        when known_minor >= 18 and bool_and(reason_code = 'policy.legacy_up_limit')
            then 'set behavior.scaleUp, which can allow more, or raise minReplicas before a known peak'
        else 'loosen behavior.scaleUp, or raise minReplicas before a known peak'
    end as next_step
from limited
cross join (
    select max(minor_release(value)) as known_minor
    from runs.assumptions
    where key = 'release'
)
group by hpa_uid, known_minor
having sum(lasted_s) >= 60;
