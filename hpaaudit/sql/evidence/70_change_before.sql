-- Which was the last change of spec.replicas before this reconcile?
-- One row, none if no change was seen.
select c.*, epoch_us(c.ts) as at_us
from changes as c
join reconciles as r using (hpa_uid)
where r.reconcile_id = $reconcile_id and c.ts < r.began_at and c.writer_class is not null
order by c.ts desc
limit 1;
