-- Which steps led to a decision?
-- One row per HPA and step of its last reconcile until $at. Where its steps were not kept, one row has the last binding
-- step, and missing says what shows the others.
with told as (
    select *
    from reconciles
    where namespace || '/' || name like $hpa
        and ts <= $at
    qualify row_number() over (partition by hpa_uid order by ts desc) = 1
)
select t.namespace, t.name, t.ts, s.seq, s.stage, s.code, s.before, s.after, s.binding, s.detail, '' as missing
from decision_steps as s
join told as t using (reconcile_id)
union all
select namespace, name, ts, null, null, reason_code, spec_replicas, desired, true, null,
    'the other steps: hpaaudit explain, or replay with --detail steps'
from told
where reconcile_id not in (select reconcile_id from decision_steps)
order by namespace, name, seq;
