-- Which reconcile is told of an instant that has several (up to 1.5)?
-- One row per HPA with such an instant: told: a list of reconcile_id.
with instants as (
    select
        namespace, name,
        arg_max(reconcile_id, rank_in_instant(verdict, action, reconcile_id)) as reconcile_id
    from reconciles
    where namespace || '/' || name in (select unnest($hpas))
    group by namespace, name, ts
    having count(*) > 1
)
select namespace, name, list(reconcile_id order by reconcile_id) as told
from instants
group by namespace, name;
