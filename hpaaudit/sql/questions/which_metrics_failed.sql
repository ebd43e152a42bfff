-- Which metrics were unusable, when, and why?
-- One row per HPA, metric and cause. Reconciles of which the inputs were not recorded do not count: nobody knows.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   metric_idx: the place of the metric in the spec, from 0
--   metric_name: the metric, as `metric_label` of `metric_proposals`
--   invalid_code: why it was unusable
--   reconciles: in how many reconciles
--   minutes: how long these lasted together, each until the next one
--   first_at: the first of them
--   last_at: the last of them
--   example: the controller's words; NULL where the replay kept numbers only
select
    p.namespace, p.name, p.metric_idx, p.metric_label as metric_name, p.invalid_code,
    count(*) as reconciles,
    round(sum(r.lasted_s) / 60, 1) as minutes,
    min(p.ts) as first_at,
    max(p.ts) as last_at,
    nullif(arg_min(p.invalid_text, p.ts), '') as example
from metric_proposals as p
join reconciles as r using (reconcile_id)
where not p.valid
    and p.namespace || '/' || p.name like $hpa
    and p.ts between $since and $until
    and has_inputs(r.class)
group by p.hpa_uid, p.namespace, p.name, p.metric_idx, p.metric_label, p.invalid_code
order by first_at, p.namespace, p.name, p.metric_idx, p.invalid_code, p.hpa_uid;
