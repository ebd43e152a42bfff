-- Which HPAs were blind because their metrics API did not answer?
-- One row per HPA.
-- Needs: metric.invalid.api_unavailable
with blind as (
    select
        r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, count(distinct r.reconcile_id) as reconciles,
        any_value(coalesce(p.invalid_text, p.invalid_code) order by r.ts, p.metric_idx) as error
    from runs.reconciles as r
    -- Without any ready pod no metric is usable either, but then the API did answer.
    join runs.metric_proposals as p
        on p.reconcile_id = r.reconcile_id
        -- An answer that forbids, or that knows no such API, is a pattern of its own.
        and p.invalid_code = 'metric.invalid.api_unavailable'
    -- Of what was not recorded nothing is known.
    where r.reason_code = 'gate.all_metrics_invalid' and r.verdict <> 'undecidable'
    group by r.hpa_uid
)
select
    hpa_uid, first_at, last_at,
    case when last_at - first_at >= interval 2 minutes then 'high' else 'medium' end as severity,
    format(
        'the metrics API failed in {}, so that no metric was usable and {}', counted(reconciles, 'reconcile'),
        case
            -- The API may have answered between two failures: then the load moved them, too.
            when exists (
                from ran as o
                where o.hpa_uid = blind.hpa_uid
                    and o.ts between first_at and last_at
                    and o.action <> 'hold'
                    and o.reason_code not in ('gate.above_max', 'gate.below_min')
            ) then 'none of these could scale'
            -- Outside of the bounds no metric is consulted.
            when exists (
                from ran as o
                where o.hpa_uid = blind.hpa_uid and o.ts between first_at and last_at and o.action <> 'hold'
            ) then 'the HPA only kept its bounds'
            else 'nothing could scale'
        end
    ) as verdict,
    json_object('reconciles', reconciles, 'error', error) as evidence,
    'look at the metrics API at this time: its APIService, its pods, its certificate' as next_step
from blind;
