-- Which reconciles did not follow their metrics, and what held them?
-- One row each. cause: what held it, NULL if nothing did. lasted_s: how long its number stood. wanted_more: pods that the
-- metrics asked for beyond it and would have got without what held it, negative where these were fewer; NULL where they were
-- not asked, or one failed. spare: pods that there were beyond those. failed_metrics: how many metrics had failed. fell_to: what
-- the window of a scale-up took the replicas down to.
with kept as (
    select
        r.reconcile_id, r.hpa_uid, r.epoch_id, r.ts, r.reason_code, r.spec_replicas, r.status_replicas,
        -- Where nothing could be decided, that lasts until the next reconcile, whoever wrote meanwhile; a target of zero
        -- replicas has them until somebody writes.
        if(
            starts_with(r.reason_code, 'gate.') and r.reason_code <> 'gate.disabled_at_zero',
            r.lasted_s, coalesce(w.stood_s, r.lasted_s)
        ) as lasted_s,
        r.raw_desired::bigint as raw_desired, r.stabilized::bigint as stabilized,
        -- Up to 1.15 a decision starts from the pods that there are: what is held is the number of the spec all the same.
        if(r.action = 'hold' and r.desired is not null, r.spec_replicas, r.desired)::bigint as desired,
        within_bounds(r.raw_desired, r.min_replicas, r.max_replicas)::bigint as allowed, r.unheld::bigint as unheld,
        starts_with(r.reason_code, 'adjust.') as is_adjusted, r.missing_input, r.min_replicas
    from reconciles as r
    left join interruptions as w using (reconcile_id)
    where (r.verdict in ('match', 'skew') or decided_alike(r.verdict, r.class, r.decided))
        and (
            regexp_matches(r.reason_code, '^(stabilize|policy|window)\.')
            or r.reason_code in (
                'adjust.direction_flip_hold', 'adjust.damped_into_tolerance', 'bound.max',
                'gate.metric_failed', 'gate.partial_metrics_block_down', 'gate.all_metrics_invalid',
                'gate.target_unreadable', 'gate.selector_missing', 'gate.selector_invalid', 'gate.selector_ambiguous',
                'gate.disabled_at_zero'
            )
        )
), adjusted as (
    -- Only these ask for the metric: a fleet has millions of proposals, and few of them were adjusted.
    select h.reconcile_id, p.missing_pods, p.unready_pods + p.missing_pods as idle_pods, ceil(p.ratio * p.ready_pods) as ready_ask,
        p.ready_pods + p.unready_pods + p.missing_pods as pods
    from kept as h
    join metric_proposals as p on p.reconcile_id = h.reconcile_id and p.is_winner
    where h.is_adjusted
), failed as (
    select h.reconcile_id, count(*) as failed_metrics
    from kept as h
    join metric_proposals as p on p.reconcile_id = h.reconcile_id and not p.valid
    where h.reason_code = 'gate.partial_metrics_block_down'
    group by h.reconcile_id
)
select
    r.hpa_uid, r.ts, r.lasted_s, p.idle_pods, p.pods, f.failed_metrics,
    case
        -- Whatever else would have held the same number, a bound, a window or a policy, is in `unheld`.
        when r.is_adjusted and r.unheld > r.desired then 'unready'
        -- What was recommended before these pods had no sample may have held the scale-down all the same.
        when r.is_adjusted and r.unheld < r.desired and p.missing_pods > 0 and m.is_whole and coalesce(m.replicas < r.desired, true)
            then 'unmeasured'
        when r.is_adjusted then null
        when r.reason_code = 'gate.metric_failed' then 'metric_failed'
        when r.reason_code = 'gate.partial_metrics_block_down' then case
            -- What memory may have kept, or what could not fall at all, the metric did not hold.
            when not m.is_whole or r.desired <= r.min_replicas
                or json_extract_string(s.behavior, '$.scaleDown.selectPolicy') = 'Disabled' then null
            when m.replicas >= r.desired then 'metric_and_memory'
            when r.unheld < r.desired then 'partial_metrics'
        end
        when r.reason_code = 'gate.all_metrics_invalid' then 'no_metric'
        when r.reason_code = 'gate.target_unreadable' then 'target_unreadable'
        when r.reason_code = 'gate.selector_ambiguous' then 'selector_ambiguous'
        when starts_with(r.reason_code, 'gate.selector_') then 'selector_unusable'
        when r.reason_code = 'gate.disabled_at_zero' then 'disabled_at_zero'
        -- The number is certain, and not what made it.
        when r.missing_input = 'memory.before_recording' then null
        when r.reason_code = 'window.up_forbidden' and r.allowed > r.desired then 'up_forbidden'
        when r.reason_code = 'window.down_forbidden' and r.allowed < r.desired then 'down_forbidden'
        -- What memory alone asks for is more than the metrics do.
        when r.reason_code = 'bound.max' and r.raw_desired > r.desired then 'max_replicas'
        when r.reason_code = 'policy.up_limit' and r.allowed > r.desired then 'up_policy'
        when r.reason_code = 'policy.legacy_up_limit' and r.allowed > r.desired then 'up_limit'
        when r.reason_code = 'policy.up_disabled' and r.allowed > r.desired then 'up_disabled'
        when r.reason_code = 'policy.down_limit' and r.allowed < r.desired then 'down_policy'
        when r.reason_code = 'policy.down_disabled' and r.allowed < r.desired then 'down_disabled'
        -- Whatever bound the number last: more was asked for before than is now. What that raises is no scale-down that is
        -- held.
        when r.stabilized > r.raw_desired and r.desired <= r.spec_replicas then case
            when r.unheld < r.desired then 'memory'
            when r.allowed < r.desired and r.desired = r.spec_replicas
                and json_extract_string(s.behavior, '$.scaleDown.selectPolicy') = 'Disabled' then 'down_disabled'
        end
        when r.stabilized < r.raw_desired and r.unheld > r.desired then 'up_window'
    end as cause,
    case
        when starts_with(r.reason_code, 'gate.') then null
        when cause = 'max_replicas' then r.raw_desired
        -- At least: what the pods that count ask for without the others.
        when cause = 'unready' then greatest(least(p.ready_ask, r.unheld), r.desired)
        when cause in ('memory', 'up_window') then r.unheld
        else r.allowed
    end - r.desired as wanted_more,
    spare_pods(r.desired, r.desired + wanted_more, r.status_replicas) as spare,
    r.spec_replicas as fell_from, if(cause = 'up_window' and r.desired < r.spec_replicas, r.desired, null) as fell_to
from kept as r
left join adjusted as p using (reconcile_id)
left join failed as f using (reconcile_id)
left join remembered_replicas as m using (reconcile_id)
left join hpa_specs as s
    on s.hpa_uid = r.hpa_uid
    and r.ts >= s.valid_from
    and r.ts < coalesce(s.valid_to, 'infinity');
