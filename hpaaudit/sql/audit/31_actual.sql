-- Which replicas will the next reconcile read?
-- One row per reconcile: what the next one read; else, as it is the last one or could not read, the last scale that
-- was observed. NULL where nothing was seen after a decision to scale.
create temp table actual as
select
    s.reconcile_id,
    coalesce(
        s.next_spec_replicas,
        case when t.observed_at >= s.ts or r.action = 'hold' then t.spec_replicas end
    ) as actual
from spans as s
join replayed as r using (reconcile_id)
asof left join (
    select hpa_uid, observed_at, arg_max(spec_replicas, seq) as spec_replicas
    from runs.scale_states
    group by hpa_uid, observed_at
) as t
    on s.hpa_uid = t.hpa_uid and s.until >= t.observed_at;
