-- With which texts did that status say so?
-- One row per condition, none if no status was recorded.
with reconcile as (
    from reconciles where reconcile_id = $reconcile_id
), next_reconcile as (
    select min(n.began_at) as began_at from reconciles as n join reconcile as r using (hpa_uid) where n.ts > r.ts
), status as (
    select s.hpa_uid, s.observed_at
    from hpa_status as s
    join reconcile as r using (hpa_uid)
    cross join next_reconcile as n
    where s.observed_at < coalesce(n.began_at, 'infinity')
    order by s.observed_at desc
    limit 1
)
select c.type, c.status, c.reason, c.message
from hpa_conditions as c
join status using (hpa_uid, observed_at)
order by c.type;
