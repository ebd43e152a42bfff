-- To which divergence does this reconcile belong?
-- One row, none if it matches.
select d.*, epoch_us(d.opened_at) as opened_us, epoch_us(d.closed_at) as closed_us
from divergences as d
join reconciles as r using (divergence_id)
where r.reconcile_id = $reconcile_id;
