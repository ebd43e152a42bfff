-- Which HPAs lost a write to a conflict with another writer?
-- One row per HPA.
-- Needs: write_failed.conflict
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format('{} lost to a conflict with another writer', counted(count(*), 'write')) as verdict,
    json_object('writes', count(*)) as evidence,
    'nothing if it is rare; releases from 1.34 on try again at once' as next_step
from runs.reconciles
where class = 'write_failed.conflict'
group by hpa_uid;
