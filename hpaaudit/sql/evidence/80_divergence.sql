-- To which divergence does this reconcile belong?
-- One row, none if it matches.
select r.reconcile_id, d.* exclude (reconcile_id), epoch_us(d.opened_at) as opened_us, epoch_us(d.closed_at) as closed_us
from divergences as d
join reconciles as r using (divergence_id)
where r.reconcile_id in ($reconcile_ids)
order by r.reconcile_id;
