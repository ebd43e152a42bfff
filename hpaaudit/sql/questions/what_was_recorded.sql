-- What was recorded, what recorded it, and how much is missing?
-- One row per recording.
-- Asked: Can I trust this?
-- Columns:
--   path: the folder of the recording
--   cluster: the address of the API server
--   source: what made the recording
--   started_at: when the recording begins
--   ended_at: when it ends
--   k8s_version: the version of Kubernetes
--   hpas: how many HPAs it has
--   reconciles: how many reconciles were replayed
--   gaps: the seconds in which each stream was not observed
--   undecidable_s: seconds without a verdict, summed over the HPAs
select
    r.path, r.cluster, r.source, r.started_at, r.ended_at, r.k8s_version,
    (select count(*) from hpas) as hpas,
    (select count(*) from reconciles) as reconciles,
    (select string_agg(stream || ' ' || round(seconds, 1) || ' s', ', ' order by stream) from gap_time) as gaps,
    (select coalesce(round(sum(lasted_s), 6), 0) from reconciles where verdict = 'undecidable') as undecidable_s
from recordings as r
order by r.started_at;
