-- What was recorded, by what, and how much of it is missing?
-- One row per recording. gap_seconds: the sum of its gaps; undecidable_s: what the audit cannot tell.
select
    r.path, r.cluster, r.source, r.started_at, r.ended_at, r.k8s_version,
    (select count(*) from hpas) as hpas,
    (select count(*) from reconciles) as reconciles,
    (select coalesce(sum(epoch_us(gap_to) - epoch_us(gap_from)), 0) / 1e6 from coverage_gaps) as gap_seconds,
    (select coalesce(sum(lasted_s), 0) from reconciles where verdict = 'undecidable') as undecidable_s
from recordings as r
order by r.started_at;
