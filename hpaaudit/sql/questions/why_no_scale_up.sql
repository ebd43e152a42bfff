-- Why was there no scale-up although a metric stood above its target?
-- One row per HPA and reason. worst_ratio: the highest ratio of usage to target.
select
    r.namespace, r.name, r.reason_code,
    count(distinct r.reconcile_id) as reconciles,
    min(r.ts) as first_at,
    max(r.ts) as last_at,
    round(max(p.ratio), 3) as worst_ratio
from reconciles as r
join metric_proposals as p using (reconcile_id)
where r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
    and p.valid
    and p.ratio > 1
    and r.desired <= r.spec_replicas
group by r.namespace, r.name, r.reason_code
order by reconciles desc, r.namespace, r.name, r.reason_code;
