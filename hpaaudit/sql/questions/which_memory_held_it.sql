-- Which remembered recommendation decided instead of the metrics?
-- One row per reconcile whose number stabilization changed, if it took place with inputs that were recorded. If the replay
-- kept numbers only, rec_at and age_s are NULL.
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the reconcile had decided
--   raw_desired: what the metrics asked for
--   stabilized: what stabilization made of it
--   desired: what the reconcile decided in the end
--   rec_at: when the earlier recommendation was made that decided
--   recommendation: how many replicas it asked for
--   age_s: how old it was, in seconds
select
    r.namespace, r.name, r.ts, r.raw_desired, r.stabilized, r.desired, i.rec_at,
    coalesce(i.recommendation, r.stabilized) as recommendation,
    (epoch_us(r.ts) - epoch_us(i.rec_at)) / 1e6 as age_s
from reconciles as r
join replays as p using (replay_id)
left join stabilization_inputs as i on i.reconcile_id = r.reconcile_id and i.decisive
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and has_inputs(r.class)
    and (i.decisive or p.detail = 'numbers' and r.stabilized <> r.raw_desired)
order by r.namespace, r.name, r.ts, r.reconcile_id;
