-- Which HPAs count pods that have finished?
-- One row per HPA. Only where the pods of a reconcile were kept.
-- Needs: relation.reconcile_pods
select
    c.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, 'medium' as severity,
    format('{} counted, without a sample', counted(count(distinct c.pod_uid), 'finished pod')) as verdict,
    json_object(
        'pods', count(distinct c.pod_uid), 'example', min(c.pod), 'reconciles', count(distinct c.reconcile_id)
    ) as evidence,
    'delete finished pods, set ttlSecondsAfterFinished on Jobs, or give them other labels' as next_step
from runs.reconcile_pods as c
join ran as r using (reconcile_id)
where c.why_code = 'succeeded' and c.bucket <> 'ignored'
group by c.hpa_uid;
