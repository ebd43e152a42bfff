-- How long did it take from a metric above its tolerance to the first scale-up?
-- One row per HPA and time at which its winning metric rose above the tolerance, the slowest first.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   breach_at: the first reconcile that saw the metric above its tolerance
--   metric_name: the metric
--   ratio: usage over target at that time
--   reason_code: why that reconcile decided as it did
--   scaled_up_at: the first increase afterwards beyond the replicas of that time, whoever made it; NULL if there was none while the metric stayed up
--   seconds: from the breach to the increase, in seconds
with won as (
    select
        r.hpa_uid, r.namespace, r.name, r.ts, r.reason_code, r.spec_replicas, p.metric_name, p.ratio,
        coalesce(p.ratio > 1 + p.tolerance, false) as is_hot
    from reconciles as r
    join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.namespace || '/' || r.name like $hpa
), turns as (
    select
        *,
        lag(is_hot, 1, false) over one as was_hot,
        min(ts) filter (not is_hot) over (one rows between 1 following and unbounded following) as cooled_at
    from won
    window one as (partition by hpa_uid order by ts)
), reactions as (
    select t.hpa_uid, t.namespace, t.name, t.ts, t.metric_name, t.ratio, t.reason_code, min(e.at_hi) as scaled_up_at
    from turns as t
    left join scale_events as e
        on e.hpa_uid = t.hpa_uid
        and e.source = 'actual'
        and e.to_replicas > e.from_replicas
        -- What only brings back the number of that time is no reaction.
        and e.to_replicas > t.spec_replicas
        and e.at_hi between t.ts and coalesce(t.cooled_at, 'infinity')
    where t.is_hot and not t.was_hot and t.ts between $since and $until
    group by all
)
select
    namespace, name, ts as breach_at, metric_name, round(ratio, 3) as ratio, reason_code, scaled_up_at,
    round((epoch_us(scaled_up_at) - epoch_us(ts)) / 1e6, 1) as seconds
from reactions
order by seconds desc nulls first, namespace, name, breach_at, hpa_uid;
