-- Which counted pods may have to be kept?
-- One row per pod of a metric of a reconcile, as in runs.reconcile_pods.
create temp table replayed_pods as
from runs.reconcile_pods
limit 0;
