-- Which was the last change of spec.replicas before this reconcile?
-- One row, none if no change was seen.
select r.reconcile_id, c.* exclude (reconcile_id), epoch_us(c.ts) as at_us
from reconciles as r
asof join (
    from changes
    where writer_class is not null
    qualify row_number() over (partition by hpa_uid, ts order by scale_event_id desc) = 1
) as c
    on c.hpa_uid = r.hpa_uid and c.ts < r.began_at
where r.reconcile_id in ($reconcile_ids)
order by r.reconcile_id;
