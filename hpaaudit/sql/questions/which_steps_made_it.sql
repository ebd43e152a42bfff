-- Which steps led to a decision?
-- One row per HPA and step of its last reconcile until $at. Steps are kept if the reconcile scaled or did not match.
-- If the replay kept numbers only, one row has the last binding step; `hpaaudit explain` shows the others.
with told as (
    select *
    from reconciles
    where namespace || '/' || name like $hpa
        and ts <= $at
    qualify row_number() over (partition by hpa_uid order by ts desc) = 1
)
select t.namespace, t.name, t.ts, s.seq, s.stage, s.code, s.before, s.after, s.binding, s.detail
from decision_steps as s
join told as t using (reconcile_id)
union all
select namespace, name, ts, null, null, reason_code, spec_replicas, desired, true, null
from told
where (select detail from replays) = 'numbers'
order by namespace, name, seq;
