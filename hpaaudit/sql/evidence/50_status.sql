-- Which status stood after this reconcile?
-- One row, none if no status was recorded.
with reconcile as (
    from reconciles where reconcile_id = $reconcile_id
), next_reconcile as (
    select min(n.began_at) as began_at from reconciles as n join reconcile as r using (hpa_uid) where n.ts > r.ts
)
select s.*
from hpa_status as s
join reconcile as r using (hpa_uid)
cross join next_reconcile as n
where s.observed_at < coalesce(n.began_at, 'infinity')
order by s.observed_at desc
limit 1;
