-- Which reconciles are known to have taken place, with inputs that were recorded?
-- One row per such reconcile. Findings say nothing of the others. Their differences may not fit into 32 bits.
-- lasted_s: how long the number stood that it left: until the next reconcile, or until somebody else wrote the replicas, as the
-- view `interruptions` counts it. until_next_s: until the next reconcile, whoever wrote: for as long nothing else was read or decided.
-- is_raised: a scale-up that is not known to have failed. Of a divergent one only the replay may have it.
create temp view ran as
with interrupted as (
    select reconcile_id, min(at_hi) as written_at
    from runs.scale_events
    where source = 'actual' and writer_class <> 'hpa' and reconcile_id is not null
    group by reconcile_id
)
select
    r.* replace (
        r.spec_replicas::bigint as spec_replicas, r.raw_desired::bigint as raw_desired, r.stabilized::bigint as stabilized,
        r.desired::bigint as desired,
        if(w.written_at is null, r.lasted_s, stood_s(r.ts, r.lasted_s, w.written_at)) as lasted_s
    ),
    r.lasted_s as until_next_s,
    r.action = 'scale_up' and coalesce(r.actual, r.desired) > r.spec_replicas as is_raised
from runs.reconciles as r
left join interrupted as w using (reconcile_id)
where has_inputs(r.class);
