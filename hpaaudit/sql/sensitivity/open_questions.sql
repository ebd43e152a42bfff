-- Which reconciles would another setting have to explain, and which must it not change?
-- One row per reconcile, of HPAs with unexplained ones, that is unexplained or agrees. real: the number that the controller
-- published, else the one that the target got; is_seen: the reconcile left a trace.
select
    r.reconcile_id,
    r.namespace || '/' || r.name as hpa,
    r.desired,
    coalesce(r.decided, r.actual) as real,
    if(r.class = 'unexplained', r.divergence_id, null) as divergence_id,
    r.at_source <> 'grid' as is_seen
from runs.reconciles as r
where (r.class = 'unexplained' or r.verdict = 'match')
    and r.hpa_uid in (select hpa_uid from runs.reconciles where class = 'unexplained')
order by r.reconcile_id;
