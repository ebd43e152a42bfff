-- Did a rollout raise the replicas, and how far?
-- One row per HPA and rollout after which the replicas rose: until ten minutes after it began, or until the next one.
-- Asked: Why not fewer?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   started_at: when the pod template changed
--   revision: the hash of the new template
--   before: replicas when it began
--   most: the most replicas afterwards
--   surge: the most pods beyond the replicas meanwhile
--   uncounted: the most pods of the deciding metric that were not ready, or without a sample
--   worst_ratio: the highest ratio of usage to target
with spans as (
    select
        hpa_uid, namespace, name, started_at, revision,
        least(
            started_at + interval 10 minutes,
            coalesce(lead(started_at) over (partition by hpa_uid order by started_at), 'infinity'::timestamp)
        ) as until
    from rollouts
    where namespace || '/' || name like $hpa
        and started_at between $since and $until
), meanwhile as (
    select s.hpa_uid, s.namespace, s.name, s.started_at, s.revision, r.reconcile_id, r.ts, r.spec_replicas, r.actual,
        r.status_replicas, has_inputs(r.class) as has_inputs
    from reconciles as r
    asof join spans as s on s.hpa_uid = r.hpa_uid and s.started_at <= r.ts
    where r.ts < s.until
)
select
    m.namespace, m.name, m.started_at, m.revision,
    arg_min(m.spec_replicas, m.ts) as before,
    max(greatest(m.spec_replicas, m.actual)) as most,
    max(m.status_replicas - m.spec_replicas) as surge,
    max(p.unready_pods + p.missing_pods) as uncounted,
    round(max(p.ratio), 3) as worst_ratio
from meanwhile as m
left join metric_proposals as p on p.reconcile_id = m.reconcile_id and p.is_winner and m.has_inputs
group by m.hpa_uid, m.namespace, m.name, m.started_at, m.revision
having most > before
order by most - before desc, m.namespace, m.name, m.started_at, m.revision, m.hpa_uid;
