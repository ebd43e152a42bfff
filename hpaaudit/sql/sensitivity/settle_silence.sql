-- Which divergences that are still unexplained consist of inferred reconciles alone, which left no trace?
-- Sets their class in runs.divergences. Nobody saw such a reconcile. One or two may have come later; more of them in a row
-- may not have taken place at all. That some settings would explain the silence proves nothing either.
update runs.divergences as d
set
    class = if(s.is_short, 'timing.late_reconcile', 'no_data.object_unseen'),
    shape = if(s.is_short, d.shape, null),
    severity = 'info',
    confidence = if(s.is_short, 'likely', 'undecidable'),
    explanation = if(
        s.is_short,
        'no status was written at this inferred time: the reconcile came later, or read other values',
        'unknown: ' || missing_in_words('reconcile.unseen')
    ),
    next_step = if(
        s.is_short,
        'nothing if it is rare; else look at the workqueue horizontalpodautoscaler',
        'look at the log of kube-controller-manager at this time, and at its flags'
    )
from (
    select replay_id, hpa_uid, divergence_id, count(*) <= 2 as is_short
    from runs.reconciles
    where class = 'unexplained'
    group by all
    having bool_and(at_source = 'grid')
) as s
where d.replay_id = s.replay_id and d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id;
