-- How often does the replay agree with reality, and how much could not be decided?
-- One row per HPA. The percentages count the decidable reconciles only, and are rounded down: 100 is all of them, and 0 none.
-- Asked: Can I trust this?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reconciles: all reconciles of the recording
--   undecidable: reconciles without a verdict, because too much is unknown
--   agree_pct: percent in which the replay and the controller decided the same number
--   match_pct: percent in which, besides, the cluster did it and nobody else wrote
--   skew_pct: percent that an input explains which was not recorded exactly, such as another sample
--   divergent: reconciles that differ from the replay
select
    namespace, name, reconciles, undecidable,
    percent_of(agree, comparable) as agree_pct,
    match_pct,
    percent_of(skew, reconciles - undecidable) as skew_pct,
    divergent
from agreement
where namespace || '/' || name like $hpa
order by match_pct, divergent desc, namespace, name, hpa_uid;
