-- After which reconciles is an unchanged status no evidence, because the next one was not observed or was refused?
-- One row per reconcile.
create temp table unwritten as
with refused as (
    select h.hpa, f.ts
    from refused_statuses as f
    join replayed_hpas as h on h.namespace = f.namespace and h.name = f.name
    union all
    select h.hpa, e.observed_at as ts
    from runs.k8s_events as e
    join replayed_hpas as h on h.namespace = e.namespace and h.name = e.name
    where e.reason = 'FailedUpdateStatus' and e.kind = 'HorizontalPodAutoscaler'
)
select reconcile_id
from reconciles_in_gaps
where hides_status
union
select s.reconcile_id
from refused as f
join spans as s on s.hpa = f.hpa and f.ts >= s.began_at and f.ts < s.until;
