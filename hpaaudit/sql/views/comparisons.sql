-- What did replay, controller and cluster say, side by side?
-- One row per reconcile of the current replay. predicted and actual: spec.replicas; decided: the controller's own word.
create view main.comparisons as
select
    replay_id, hpa_uid, namespace, name, reconcile_id, ts,
    desired as predicted,
    decided, decided_source, actual, verdict, class, band_lo, band_hi, divergence_id
from main.reconciles;
