-- Which steps are kept?
-- One row per step, as in runs.decision_steps: those of reconciles that scaled or did not match, or all.
insert into runs.decision_steps by name
select s.*
from replayed_steps as s
semi join (
    select r.reconcile_id
    from runs.reconciles as r
    join runs.replays as p using (replay_id)
    where r.action <> 'hold' or r.verdict <> 'match' or p.detail in ('steps', 'pods', 'all')
) as kept using (reconcile_id)
order by s.reconcile_id, s.seq;
