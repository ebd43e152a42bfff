-- What would the settings that were asked for decide otherwise?
-- One row per HPA with such reconciles: how many, and the first of them.
with made as (
    select hpa_uid, unnest(divergence_ids) as divergence_id
    from sensitivity
    where is_what_if
)
select
    r.hpa_uid, count(*) as reconciles, epoch_us(min(r.ts)) as first_us,
    arg_min(struct_pack(n := r.desired), (r.ts, r.reconcile_id)).n as first_desired,
    arg_min(struct_pack(n := coalesce(r.decided, r.actual)), (r.ts, r.reconcile_id)).n as first_real
from reconciles as r
join made using (hpa_uid, divergence_id)
where r.verdict = 'divergent'
group by r.hpa_uid;
