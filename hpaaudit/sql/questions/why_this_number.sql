-- Why did an HPA have this number of replicas at that time?
-- One row per HPA: its last reconcile until $at.
-- Asked: What happened?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the reconcile had decided
--   spec_replicas: spec.replicas of the target as the reconcile read it
--   raw_desired: what the metrics asked for
--   stabilized: after the stabilization window
--   rate_limited: after the scaling policies
--   desired: after minReplicas and maxReplicas: what the replay decided
--   decided: what the controller published
--   actual: spec.replicas as the next reconcile read it
--   reason_code: the last step that changed the number, else what the winning metric found
--   verdict: match, skew, divergent or undecidable
select
    namespace, name, ts, spec_replicas, raw_desired, stabilized, rate_limited, desired, decided, actual,
    reason_code, verdict
from reconciles
where namespace || '/' || name like $hpa
    and ts <= $at
qualify row_number() over (partition by hpa_uid order by ts desc, rank_in_instant(verdict, action, reconcile_id) desc) = 1
order by namespace, name, hpa_uid;
