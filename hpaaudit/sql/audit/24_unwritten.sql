-- After which reconciles does an old status say nothing, as the next one could not be seen, or was refused?
-- One row per reconcile.
create temp table unwritten as
with refused as (
    select h.hpa, f.ts
    from refused_statuses as f
    join replayed_hpas as h on h.namespace = f.namespace and h.name = f.name
)
select reconcile_id
from blind
where hides_status
union
select s.reconcile_id
from refused as f
join spans as s on s.hpa = f.hpa and f.ts >= s.began_at and f.ts < s.until;
