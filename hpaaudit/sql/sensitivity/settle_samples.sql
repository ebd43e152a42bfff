-- Which divergences that are still unexplained hang on an answer of the recorder in which samples of some pods were missing?
-- Sets their class in runs.divergences. The controller's own answer, a moment before, may have had these samples and lead to
-- the same published average, but to another number; and what a reconcile recommended counts as long as a window reaches back.
-- What another setting would explain, although the recording says otherwise, stays unexplained.
update runs.divergences as d
set
    class = 'no_data.object_unseen',
    shape = null,
    severity = 'info',
    confidence = 'undecidable',
    explanation = 'unknown: ' || missing_in_words('metric.sample'),
    next_step = 'compare both answers of the metrics API around this time: the controller may have read another one'
from (
    select r.replay_id, r.hpa_uid, r.divergence_id
    from runs.reconciles as r
    join replayed_hpas as h using (hpa_uid)
    join memory_windows as w using (hpa)
    asof left join (
        select hpa_uid, ts as sampled_at
        from runs.reconciles
        where evidence = 'proven'
            and hpa_uid in (select hpa_uid from runs.divergences where class = 'unexplained')
            and reconcile_id in (select reconcile_id from runs.metric_proposals where missing_pods > 0)
    ) as s on s.hpa_uid = r.hpa_uid and r.ts >= s.sampled_at
    where r.class = 'unexplained'
    group by all
    having bool_and(coalesce(r.ts <= s.sampled_at + w.longest, false))
) as s
where d.replay_id = s.replay_id and d.hpa_uid = s.hpa_uid and d.divergence_id = s.divergence_id
    and not exists (from settled as o where o.hpa_uid = d.hpa_uid and o.divergence_id = d.divergence_id);
