-- What did each reconcile of one HPA read and decide, and how far was the metric that decided it from its target?
-- One row per reconcile, in the order of time. ratio: measured value divided by target, NULL if nothing was measured, or for no pods.
-- Pods are those of the metric that decided, else of the first one. If that one does not sort pods (an external metric, for one),
-- those of another metric of the reconcile are told; of a reconcile that did not take place none were counted.
-- failed: the metrics that were unusable.
with deciding as (
    select reconcile_id, metric_label, if(valid and isfinite(ratio), ratio, null) as ratio
    from metric_proposals
    where namespace = $namespace and name = $name
    qualify row_number() over (
        partition by reconcile_id
        order by coalesce(is_winner, false) desc, coalesce(valid, false) desc, metric_idx
    ) = 1
), counting as (
    select reconcile_id, ready_pods, unready_pods, missing_pods, ignored_pods
    from metric_proposals
    where namespace = $namespace and name = $name and ready_pods is not null
    qualify row_number() over (
        partition by reconcile_id
        order by coalesce(is_winner, false) desc, coalesce(valid, false) desc, metric_idx
    ) = 1
), failing as (
    select reconcile_id, list(metric_label order by metric_idx) as failed
    from metric_proposals
    where namespace = $namespace and name = $name and not valid
    group by reconcile_id
)
select
    epoch_us(r.ts) as at_us, epoch_us(r.began_at) as began_us, r.spec_replicas as replicas, r.desired as replay, r.decided,
    r.min_replicas, r.max_replicas, r.verdict, r.reason_code,
    coalesce(d.metric_label, '') as metric, d.ratio,
    if(did_not_run(r.class), null, c.ready_pods) as ready,
    if(did_not_run(r.class), null, c.unready_pods) as unready,
    if(did_not_run(r.class), null, c.missing_pods) as missing,
    if(did_not_run(r.class), null, c.ignored_pods) as ignored,
    coalesce(f.failed, []) as failed
from reconciles as r
left join deciding as d using (reconcile_id)
left join counting as c using (reconcile_id)
left join failing as f using (reconcile_id)
where r.namespace = $namespace and r.name = $name
order by r.ts, r.reconcile_id;
