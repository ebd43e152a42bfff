-- Which HPAs count pods of other workloads, because the selector of their target matches them?
-- One row per HPA. Only pods that a reconcile counted, and whose pods were kept.
-- Needs: relation.reconcile_pods
with own as (
    select distinct hpa_uid from main.hpa_pods
), foreign_pods as (
    select c.hpa_uid, c.pod_uid, min(r.ts) as first_at, max(r.ts) as last_at
    from runs.reconcile_pods as c
    join runs.reconciles as r using (reconcile_id)
    -- If no pod names its owner, as in some captures, nothing can be said.
    semi join own on own.hpa_uid = c.hpa_uid
    anti join main.hpa_pods as h on h.hpa_uid = c.hpa_uid and h.pod_uid = c.pod_uid
    where c.pod_uid <> ''
    group by c.hpa_uid, c.pod_uid
)
select
    f.hpa_uid, min(f.first_at) as first_at, max(f.last_at) as last_at, 'high' as severity,
    format(
        '{} of {} counted as pods of the target', counted(count(*), 'pod'),
        string_agg(distinct coalesce(nullif(p.owner_kind || ' ' || p.owner_name, ' '), 'nobody'), ', ')
    ) as verdict,
    json_object('pods', count(*), 'example', min(p.name)) as evidence,
    'give the target a selector that matches its own pods alone' as next_step
from foreign_pods as f
join runs.pods as p using (pod_uid)
group by f.hpa_uid;
