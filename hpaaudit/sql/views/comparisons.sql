-- What did the replay predict, the controller decide, and the cluster do, side by side?
-- One row per reconcile of the current replay.
-- Columns:
--   reconcile_id: as in `reconciles`
--   ts: when it had decided
--   predicted: what `spec.replicas` should become
--   decided: what the controller said
--   decided_source: how we know that
--   actual: what the next reconcile read
--   verdict: `match`, `skew`, `divergent` or `undecidable`
--   class: why it is no match
--   band_lo: least number that it may have decided
--   band_hi: greatest
--   divergence_id: the divergence that it belongs to
create view main.comparisons as
select
    replay_id, hpa_uid, namespace, name, reconcile_id, ts,
    desired as predicted,
    decided, decided_source, actual, verdict, class, band_lo, band_hi, divergence_id
from main.reconciles;
