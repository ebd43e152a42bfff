-- Which metric decides, and how often?
-- One row per HPA and metric. Only reconciles count that took place with inputs that were recorded.
-- Asked: What happened?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   metric_idx: the place of the metric in the spec, from 0
--   metric_name: the metric, as `metric_label` of `metric_proposals`
--   won: reconciles in which it decided
--   won_up: reconciles in which it decided and asked for more than there were
--   tied: reconciles in which it asked for the same number as the metric that decided
--   invalid: reconciles in which it was unusable
--   mean_ratio: usage over target, on average
with told as (
    select p.hpa_uid, p.namespace, p.name, p.metric_idx, p.metric_label as metric_name, p.is_winner, p.valid, p.ratio, p.proposal,
        r.spec_replicas, r.raw_desired
    from metric_proposals as p
    join reconciles as r using (reconcile_id)
    where p.namespace || '/' || p.name like $hpa
        and p.ts between $since and $until
        and has_inputs(r.class)
)
select
    namespace, name, metric_idx, metric_name,
    count(*) filter (is_winner) as won,
    count(*) filter (is_winner and proposal > spec_replicas) as won_up,
    count(*) filter (valid and not is_winner and proposal = raw_desired) as tied,
    count(*) filter (not valid) as invalid,
    round(avg(ratio), 3) as mean_ratio
from told
group by hpa_uid, namespace, name, metric_idx, metric_name
order by namespace, name, won desc, metric_idx, hpa_uid;
