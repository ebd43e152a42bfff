-- Which HPAs were off because their target has zero replicas?
-- One row per HPA.
-- Needs: gate.disabled_at_zero
with off as (
    select hpa_uid, min(ts) as first_at, max(ts) as last_at, round(sum(lasted_s), 6) as seconds
    from ran
    where reason_code = 'gate.disabled_at_zero'
    group by hpa_uid
)
select
    o.hpa_uid, o.first_at, o.last_at, cost_severity(0, 0, o.seconds) as severity,
    format(
        'off for {} s: {} replicas 0, and the HPA raises nothing until somebody writes 1 or more',
        round(o.seconds)::bigint,
        coalesce(nullif(w.writer_name, '') || ' wrote', 'the target had')
    ) as verdict,
    json_object('seconds', o.seconds, 'writer', w.writer_name, 'written_at', w.at_hi) as evidence,
    'scale the target to at least 1; let a schedule change minReplicas, or use minReplicas 0 or KEDA' as next_step
from off as o
asof left join (
    from runs.scale_events
    where source = 'actual' and to_replicas = 0
    qualify row_number() over (partition by hpa_uid, at_hi order by scale_event_id desc) = 1
) as w
    on w.hpa_uid = o.hpa_uid and w.at_hi <= o.first_at;
