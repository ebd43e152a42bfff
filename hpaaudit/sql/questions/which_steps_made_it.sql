-- Through which steps did that decision go?
-- One row per step of the last reconcile until then, HPA by HPA. Steps are kept where the HPA scaled or did not match.
-- Where the replay kept numbers only, one row tells the last step that bound the number: explain finds the others.
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
