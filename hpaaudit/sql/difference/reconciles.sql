-- What did each reconcile of this replay decide, and by which metric?
-- One row per reconcile. wanted: what spec.replicas becomes by it; a reconcile that holds leaves it as it is. nth: its number
-- among those of its HPA at the same time. is_unknown: it did not take place, something that it read was not recorded, or
-- several numbers are possible.
select
    r.hpa_uid, r.namespace, r.name, r.reconcile_id, r.ts, r.spec_replicas,
    row_number() over (partition by r.hpa_uid, r.ts order by r.reconcile_id) as nth,
    if(r.action = 'hold' and r.desired is not null, r.spec_replicas, r.desired) as wanted,
    r.reason_code,
    r.band_lo is distinct from r.band_hi
        -- Where only the controller's answer is unknown, nothing is missing of what the rules read.
        or not has_inputs(r.class) and not (r.class = 'no_data.object_unseen' and coalesce(r.missing_input, '') = '')
        or exists (
            from metric_proposals as u
            where u.reconcile_id = r.reconcile_id and u.invalid_code = 'metric.invalid.unseen'
        ) as is_unknown,
    p.metric_name, p.metric_label, p.target_type, p.target, p.current_utilization, p.current_milli
from reconciles as r
left join metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
