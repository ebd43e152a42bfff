-- Why did an HPA have this number of replicas at that time?
-- One row per HPA: its last reconcile until $at.
select
    namespace, name, ts, spec_replicas, raw_desired, stabilized, rate_limited, desired, decided, actual,
    reason_code, verdict
from reconciles
where namespace || '/' || name like $hpa
    and ts <= $at
qualify row_number() over (partition by hpa_uid order by ts desc) = 1
order by namespace, name;
