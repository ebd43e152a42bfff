-- What does the replay say, and what the audit?
-- One row per reconcile, as in runs.reconciles.
insert into runs.reconciles by name
select
    r.*,
    s.lasted_s,
    v.decided,
    nullif(v.decided_source, '') as decided_source,
    v.actual,
    v.verdict,
    v.class,
    e.divergence_id
from replayed as r
join spans as s using (reconcile_id)
join verdicts as v using (reconcile_id)
left join episodes as e using (reconcile_id)
order by r.hpa_uid, r.ts, r.reconcile_id;
