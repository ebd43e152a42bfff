-- Which reconciles are known to have taken place, with inputs that were recorded?
-- One row per such reconcile. Findings say nothing of the others. Their differences may not fit into 32 bits.
create temp view ran as
select * replace (
    spec_replicas::bigint as spec_replicas, raw_desired::bigint as raw_desired, stabilized::bigint as stabilized,
    desired::bigint as desired
)
from runs.reconciles
where has_inputs(class);
