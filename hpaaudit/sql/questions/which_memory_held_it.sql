-- Which old recommendation decided, and not what the metrics asked for?
-- One row per reconcile that stabilization changed. age_s: how old that recommendation was.
select
    r.namespace, r.name, r.ts, r.raw_desired, r.stabilized, r.desired, i.rec_at, i.recommendation,
    (epoch_us(r.ts) - epoch_us(i.rec_at)) / 1e6 as age_s
from reconciles as r
join stabilization_inputs as i using (reconcile_id)
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and i.decisive
order by r.namespace, r.name, r.ts;
