-- Through which steps did that decision go?
-- One row per step of the last reconcile until then, HPA by HPA. Steps are kept where the HPA scaled or did not match.
with told as (
    select reconcile_id
    from reconciles
    where namespace || '/' || name like $hpa
        and ts <= $at
    qualify row_number() over (partition by hpa_uid order by ts desc) = 1
)
select s.namespace, s.name, r.ts, s.seq, s.stage, s.code, s.before, s.after, s.binding, s.detail
from decision_steps as s
semi join told using (reconcile_id)
join reconciles as r using (reconcile_id)
order by s.namespace, s.name, s.seq;
