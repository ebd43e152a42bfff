-- Which unexplained reconciles does another setting explain?
-- Sets the class of those reconciles in runs.reconciles.
update runs.reconciles as r
set class = s.class
from (
    select hpa_uid, 'config.' || replace(key, '-', '_') as class, unnest(divergence_ids) as divergence_id
    from runs.sensitivity
) as s
where r.hpa_uid = s.hpa_uid and r.divergence_id = s.divergence_id and r.class = 'unexplained';
