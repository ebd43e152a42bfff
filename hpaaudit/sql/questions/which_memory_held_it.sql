-- Which remembered recommendation decided instead of the metrics?
-- One row per reconcile whose number stabilization changed. age_s: the age of that recommendation. age_s and rec_at are
-- NULL if the replay kept numbers only.
select
    r.namespace, r.name, r.ts, r.raw_desired, r.stabilized, r.desired, i.rec_at,
    coalesce(i.recommendation, r.stabilized) as recommendation,
    (epoch_us(r.ts) - epoch_us(i.rec_at)) / 1e6 as age_s
from reconciles as r
join replays as p using (replay_id)
left join stabilization_inputs as i on i.reconcile_id = r.reconcile_id and i.decisive
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and (i.decisive or p.detail = 'numbers' and r.stabilized <> r.raw_desired)
order by r.namespace, r.name, r.ts;
