-- Which reconciles belong to divergences that were settled as silence?
-- Sets class and verdict of those reconciles, as runs.reconciles shows them.
update runs.encoded_reconciles as r
set
    class = d.class,
    verdict = if(d.class = 'timing.late_reconcile', 'skew', 'undecidable'),
    missing_input = if(d.class = 'timing.late_reconcile', r.missing_input, 'reconcile.unseen')
from runs.divergences as d
cross join runs.texts as t
where t.replay_id[r.replay_id + 1] = d.replay_id
    and t.hpa_uid[r.object + 1] = d.hpa_uid
    and d.divergence_id = r.divergence_id
    and r.class = 'unexplained'
    and d.class in ('timing.late_reconcile', 'no_data.object_unseen');
