-- How long did it take from a metric above its tolerance to the first scale-up?
-- One row per HPA and time at which its winning metric rose above the tolerance, the slowest first.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   breach_at: the first recorded reconcile that saw the metric above its tolerance
--   metric_name: the metric, as `metric_label` of `metric_proposals`
--   ratio: usage over target at that time
--   reason_code: why that reconcile decided as it did
--   scaled_up_at: the first increase afterwards beyond the replicas of that time, whoever made it; NULL if there was none while the metric stayed up
--   seconds: from the breach to the increase, in seconds; NULL if it was not seen whether the metric was above before
with told as (
    -- NULL: nobody knows whether the metric was above its tolerance.
    select
        r.hpa_uid, r.namespace, r.name, r.reconcile_id, r.ts, r.reason_code, r.spec_replicas, p.metric_label as metric_name, p.ratio,
        has_inputs(r.class) as is_known,
        if(has_inputs(r.class), p.ratio > 1 + p.tolerance, null) as is_hot
    from reconciles as r
    left join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    where r.namespace || '/' || r.name like $hpa
), turns as (
    select
        *,
        last_value(is_hot ignore nulls) over (one rows between unbounded preceding and 1 preceding) as was_hot,
        lag(is_known) over one as was_known,
        min(ts) filter (not is_hot) over (one rows between 1 following and unbounded following) as cooled_at
    from told
    window one as (partition by hpa_uid order by ts)
), reactions as (
    select
        t.hpa_uid, t.namespace, t.name, t.ts, t.metric_name, t.ratio, t.reason_code, min(e.at_hi) as scaled_up_at,
        -- The first reconcile of an HPA that was made meanwhile has none before it.
        coalesce(t.was_known, any_value(h.seen_at) > any_value(o.started_at) + interval 1 second) as is_first
    from turns as t
    join hpas as h using (hpa_uid)
    cross join recordings as o
    left join scale_events as e
        on e.hpa_uid = t.hpa_uid
        and e.source = 'actual'
        and e.to_replicas > e.from_replicas
        -- What only brings back the number of that time is no reaction.
        and e.to_replicas > t.spec_replicas
        and e.at_hi <= coalesce(t.cooled_at, 'infinity')
        -- What the reconcile itself wrote may be seen a moment before its status.
        and (e.at_hi >= t.ts or e.reconcile_id = t.reconcile_id)
    where t.is_hot and t.was_hot is not true and t.ts between $since and $until
    group by t.hpa_uid, t.namespace, t.name, t.ts, t.metric_name, t.ratio, t.reason_code, t.was_known
)
select
    namespace, name, ts as breach_at, metric_name, round(ratio, 3) as ratio, reason_code, scaled_up_at,
    if(is_first, round(greatest(epoch_us(scaled_up_at) - epoch_us(ts), 0) / 1e6, 1), null) as seconds
from reactions
order by seconds desc nulls first, namespace, name, breach_at, hpa_uid;
