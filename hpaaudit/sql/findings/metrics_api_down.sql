-- Which HPAs were blind because their metrics API did not answer?
-- One row per HPA.
-- Needs: metric.invalid.api_unavailable
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at,
    case when max(r.ts) - min(r.ts) >= interval 2 minutes then 'high' else 'medium' end as severity,
    format('the metrics API failed in {}, so that no metric was usable and nothing could scale', counted(count(distinct r.reconcile_id), 'reconcile')) as verdict,
    json_object(
        'reconciles', count(distinct r.reconcile_id),
        'error', any_value(coalesce(p.invalid_text, p.invalid_code) order by r.ts, p.metric_idx)
    ) as evidence,
    'look at the metrics API at this time: its APIService, its pods, its certificate' as next_step
from runs.reconciles as r
-- Without any ready pod no metric is usable either, but then the API did answer.
join runs.metric_proposals as p
    on p.reconcile_id = r.reconcile_id
    -- An answer that forbids, or that knows no such API, is a pattern of its own.
    and p.invalid_code = 'metric.invalid.api_unavailable'
-- Of what was not recorded nothing is known.
where r.reason_code = 'gate.all_metrics_invalid' and r.verdict <> 'undecidable'
group by r.hpa_uid;
