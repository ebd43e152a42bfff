-- Which Events of the HPA were seen from this reconcile on, until the next one?
-- One row per Event.
with reconcile as (
    from reconciles where reconcile_id = $reconcile_id
), next_reconcile as (
    select min(n.began_at) as began_at from reconciles as n join reconcile as r using (hpa_uid) where n.ts > r.ts
)
select e.observed_at, e.reason, e.message
from k8s_events as e
join reconcile as r using (namespace, name)
cross join next_reconcile as n
where e.kind = 'HorizontalPodAutoscaler'
    and e.observed_at >= r.began_at
    and e.observed_at < coalesce(n.began_at, 'infinity')
order by e.observed_at;
