-- Were reconciles late or missing?
-- One row per HPA, the worst first.
-- Asked: Was the controller well?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reconciles: reconciles that left a trace
--   typical_s: the seconds between two reconciles, mostly
--   worst_s: the most seconds between two reconciles that left a trace, where one was due
--   late: reconciles that came later than when they were due
--   not_run: reconciles that were due and did not take place
--   not_run_minutes: how long that lasted
--   class: why, mostly; NULL if none was missing
select
    namespace, name,
    count(*) filter (at_source <> 'grid') as reconciles,
    round(median(lasted_s), 1) as typical_s,
    round(max(lasted_s) filter (class like 'not@_run.%' escape '@' or class = 'timing.late_reconcile'), 1) as worst_s,
    count(*) filter (class = 'timing.late_reconcile') as late,
    count(*) filter (class like 'not@_run.%' escape '@') as not_run,
    coalesce(round(sum(lasted_s) filter (class like 'not@_run.%' escape '@') / 60, 1), 0) as not_run_minutes,
    mode(class order by class) filter (class like 'not@_run.%' escape '@') as class
from reconciles
where namespace || '/' || name like $hpa
    and ts between $since and $until
group by hpa_uid, namespace, name
order by not_run desc, late desc, namespace, name, hpa_uid;
