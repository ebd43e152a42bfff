-- Which reconciles belong to divergences that hang on missing samples?
-- Sets class and verdict of those reconciles, as runs.reconciles shows them.
update runs.encoded_reconciles as r
set class = d.class, verdict = 'undecidable', missing_input = 'metric.sample'
from runs.divergences as d
cross join runs.texts as t
where t.replay_id[r.replay_id + 1] = d.replay_id
    and t.hpa_uid[r.object + 1] = d.hpa_uid
    and d.divergence_id = r.divergence_id
    and r.class = 'unexplained'
    and d.class = 'no_data.object_unseen';
