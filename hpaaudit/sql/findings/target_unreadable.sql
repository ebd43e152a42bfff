-- Which HPAs could not read the scale of their target?
-- One row per HPA: at least twice.
-- Needs: gate.target_unreadable
select
    r.hpa_uid, min(r.ts) as first_at, max(r.ts) as last_at, cost_severity(0, 0, sum(r.lasted_s)) as severity,
    format(
        'the scale of {} {} could not be read for {} s', any_value(h.target_kind), any_value(h.target_name),
        round(sum(r.lasted_s))::bigint
    ) as verdict,
    json_object(
        'reconciles', count(*), 'seconds', round(sum(r.lasted_s), 6), 'error', any_value(nullif(r.error, '') order by r.ts)
    ) as evidence,
    'correct scaleTargetRef; a custom resource needs the scale subresource and its labelSelectorPath' as next_step
from ran as r
join runs.hpas as h using (hpa_uid)
where r.reason_code = 'gate.target_unreadable'
group by r.hpa_uid
having count(*) >= 2;
