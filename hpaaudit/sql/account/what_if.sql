-- What would the settings that were asked for decide otherwise?
-- One row per HPA with such reconciles: how many decide another number, and the first of these; how many publish another
-- status alone.
with made as (
    select hpa_uid, unnest(divergence_ids) as divergence_id
    from sensitivity
    where is_what_if
)
select
    r.hpa_uid, count(*) filter (is_number) as reconciles, count(*) filter (not is_number) as statuses,
    epoch_us(min(r.ts) filter (is_number)) as first_us,
    arg_min(struct_pack(n := r.desired), (r.ts, r.reconcile_id)) filter (is_number).n as first_desired,
    arg_min(struct_pack(n := coalesce(r.decided, r.actual)), (r.ts, r.reconcile_id)) filter (is_number).n as first_real
from (from reconciles select *, desired is distinct from coalesce(decided, actual) as is_number) as r
join made using (hpa_uid, divergence_id)
where r.verdict = 'divergent'
group by r.hpa_uid;
