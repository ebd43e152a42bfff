-- Which reconciles did not follow their metrics, and what held them?
-- One row each. cause: what held it, NULL if nothing did.
with kept as (
    select
        reconcile_id, hpa_uid, ts, lasted_s, reason_code, spec_replicas, min_replicas, max_replicas, raw_desired,
        desired, starts_with(reason_code, 'adjust.') as is_adjusted
    from reconciles
    where verdict in ('match', 'skew')
        and reason_code in (
            'stabilize.down_hold', 'stabilize.up_hold',
            'adjust.direction_flip_hold', 'adjust.damped_into_tolerance',
            'window.up_forbidden', 'window.down_forbidden',
            'gate.metric_failed', 'gate.partial_metrics_block_down',
            'bound.max', 'policy.up_limit', 'policy.up_disabled', 'policy.down_limit', 'policy.down_disabled'
        )
), adjusted as (
    -- Only these ask for the metric: a fleet has millions of proposals, and few of them were adjusted.
    select h.reconcile_id, p.ratio, p.missing_pods, p.unready_pods + p.missing_pods as idle_pods,
        p.ready_pods + p.unready_pods + p.missing_pods as pods
    from kept as h
    join metric_proposals as p on p.reconcile_id = h.reconcile_id and p.is_winner
    where h.is_adjusted
)
select
    r.hpa_uid, r.ts, r.lasted_s, p.idle_pods, p.pods,
    if(
        r.reason_code = 'bound.max', r.raw_desired::bigint, greatest(least(r.raw_desired, r.max_replicas), r.min_replicas)
    ) - r.desired as wanted_more,
    case
        when r.reason_code = 'stabilize.down_hold'
            and r.desired <> greatest(least(r.raw_desired, r.max_replicas), r.min_replicas)
            -- Then policies hold it too.
            and not coalesce(contains(s.behavior::varchar, 'Disabled'), false) then 'memory'
        when r.is_adjusted and p.ratio > 1 then 'unready'
        when r.is_adjusted and p.ratio < 1 and p.missing_pods > 0 then 'unmeasured'
        when r.reason_code = 'stabilize.up_hold' then 'up_window'
        when r.reason_code = 'window.up_forbidden' and r.raw_desired > r.spec_replicas then 'up_forbidden'
        when r.reason_code = 'window.down_forbidden' and r.raw_desired < r.spec_replicas then 'down_forbidden'
        -- What memory alone asks for is more than the metrics do.
        when r.reason_code = 'bound.max' and wanted_more > 0 then 'max_replicas'
        when r.reason_code = 'policy.up_limit' and wanted_more > 0 then 'up_policy'
        when r.reason_code = 'policy.up_disabled' and wanted_more > 0 then 'up_disabled'
        when r.reason_code = 'policy.down_limit' and wanted_more < 0 then 'down_policy'
        when r.reason_code = 'policy.down_disabled' and wanted_more < 0 then 'down_disabled'
        when r.reason_code = 'gate.metric_failed' then 'metric_failed'
        when r.reason_code = 'gate.partial_metrics_block_down' then 'partial_metrics'
    end as cause
from kept as r
left join adjusted as p using (reconcile_id)
left join hpa_specs as s
    on s.hpa_uid = r.hpa_uid
    and r.ts >= s.valid_from
    and r.ts < coalesce(s.valid_to, 'infinity');
