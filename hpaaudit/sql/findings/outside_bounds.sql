-- Which targets were outside minReplicas and maxReplicas again and again?
-- One row per HPA: in at least three reconciles, which did not consult metrics.
-- Needs: gate.above_max gate.below_min
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'medium' as severity,
    format(
        '{} replicas stood outside {} to {} in {}, which did not consult metrics',
        mode(spec_replicas order by spec_replicas), mode(min_replicas order by min_replicas),
        mode(max_replicas order by max_replicas), counted(count(*), 'reconcile')
    ) as verdict,
    json_object('reconciles', count(*), 'seconds', round(sum(lasted_s), 6)) as evidence,
    'find who writes these replicas: the question who_wrote_replicas' as next_step
from ran
where reason_code in ('gate.above_max', 'gate.below_min')
group by hpa_uid
having count(*) >= 3;
