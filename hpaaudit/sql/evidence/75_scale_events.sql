-- Which scales by this HPA, as the replay made them, could policies still count? The longest period is half an hour.
-- One row per scale of the last 30 minutes before this reconcile.
select r.reconcile_id, e.at_hi as ts, e.from_replicas, e.to_replicas
from scale_events as e
join reconciles as r using (hpa_uid)
where r.reconcile_id in ($reconcile_ids)
    and e.source = 'predicted'
    and e.at_hi <= r.ts
    and e.at_hi > r.ts - interval 30 minutes
    and e.reconcile_id <> r.reconcile_id
order by r.reconcile_id, e.at_hi, e.scale_event_id;
