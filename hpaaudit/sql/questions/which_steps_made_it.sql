-- Which steps led to a decision?
-- One row per HPA and step of its last reconcile until $at. Where its steps were not kept, there is one row, with the
-- last step that changed the number.
-- Asked: What happened?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the reconcile had decided
--   seq: the order of the steps, from 0
--   stage: gate, propose, stabilize, policy, bound or write
--   code: what happened
--   before: replicas before the step
--   after: replicas after the step
--   binding: whether the outcome would be another without this step
--   detail: names and numbers of the step
--   missing: the command that shows the other steps, where they were not kept
with told as (
    select *
    from reconciles
    where namespace || '/' || name like $hpa
        and ts <= $at
    qualify row_number() over (partition by hpa_uid order by ts desc, rank_in_instant(verdict, action, reconcile_id) desc) = 1
)
select t.namespace, t.name, t.ts, s.seq, s.stage, s.code, s.before, s.after, s.binding, s.detail, '' as missing
from decision_steps as s
join told as t using (reconcile_id)
union all
select namespace, name, ts, null, null, reason_code, spec_replicas, desired, true, null,
    (
        select case
            when p.options <> '' then format('the other steps: hpaaudit replay {} {} --detail steps', pasteable(p.path), p.options)
            else format(
                'the other steps: hpaaudit explain {} {} --at {}',
                pasteable(p.path), pasteable(told.namespace || '/' || told.name), strftime(ts, '%Y-%m-%dT%H:%M:%S.%fZ')
            )
        end
        from replays as p
    )
from told
where reconcile_id not in (select reconcile_id from decision_steps)
order by namespace, name, ts, seq;
