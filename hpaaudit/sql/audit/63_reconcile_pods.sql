-- Which counted pods are kept?
-- One row per pod of a metric of a reconcile, as in runs.reconcile_pods, for reconciles whose steps are kept.
insert into runs.reconcile_pods by name
select p.*
from replayed_pods as p
semi join (
    select r.reconcile_id
    from runs.reconciles as r
    join runs.replays as y using (replay_id)
    where r.action <> 'hold' or r.verdict <> 'match' or y.detail in ('pods', 'all')
) as kept using (reconcile_id)
order by p.reconcile_id, p.metric_idx, p.pod;
