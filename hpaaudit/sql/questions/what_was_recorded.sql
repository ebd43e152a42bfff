-- What was recorded, what recorded it, and how much is missing?
-- One row per recording. gaps: the seconds in which each stream was not observed; undecidable_s: seconds without a verdict.
select
    r.path, r.cluster, r.source, r.started_at, r.ended_at, r.k8s_version,
    (select count(*) from hpas) as hpas,
    (select count(*) from reconciles) as reconciles,
    (select string_agg(stream || ' ' || round(seconds, 1) || ' s', ', ' order by stream) from gap_time) as gaps,
    (select coalesce(sum(lasted_s), 0) from reconciles where verdict = 'undecidable') as undecidable_s
from recordings as r
order by r.started_at;
