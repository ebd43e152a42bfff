-- Which pods were not counted as ready, and why?
-- One row per HPA, bucket and cause, over the reconciles whose pods are kept: those that scaled or did not match.
select
    p.namespace, p.name, p.bucket, p.why_code,
    count(distinct p.pod) as pods,
    count(*) as pod_reconciles
from reconcile_pods as p
join reconciles as r using (reconcile_id)
where p.bucket <> 'ready'
    and r.namespace || '/' || r.name like $hpa
    and r.ts between $since and $until
group by p.namespace, p.name, p.bucket, p.why_code
order by pod_reconciles desc, p.namespace, p.name, p.bucket, p.why_code;
