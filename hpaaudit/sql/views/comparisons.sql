-- What did the replay predict, the controller decide, and the cluster do, side by side?
-- One row per reconcile of the current replay. predicted and actual: spec.replicas; decided: the published number.
create view main.comparisons as
select
    replay_id, hpa_uid, namespace, name, reconcile_id, ts,
    desired as predicted,
    decided, decided_source, actual, verdict, class, band_lo, band_hi, divergence_id
from main.reconciles;
