-- Which reconciles do not match in the audit that a what-if is compared with?
-- One row per such reconcile.
select
    hpa_uid, ts, reconcile_id, verdict, class, missing_input,
    decided_alike(verdict, class, decided) as is_alike
from reconciles
where verdict <> 'match';
