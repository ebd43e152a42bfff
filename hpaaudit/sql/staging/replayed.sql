-- What did the replay say, before the audit?
-- One row per reconcile: runs.reconciles without what only the audit can tell.
create temp table replayed as
select * exclude (lasted_s, decided, decided_source, actual, verdict, class, divergence_id)
from runs.reconciles
limit 0;
