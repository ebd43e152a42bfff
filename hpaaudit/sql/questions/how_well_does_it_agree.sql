-- How often does the replay agree with reality, and how much could not be decided?
-- One row per HPA. The percentages count the decidable reconciles only. agree_pct: replay and controller decided the
-- same; match_pct: and the cluster did it, nobody else wrote. 100 is all of them: percentages are rounded down.
select
    namespace, name, reconciles, undecidable,
    floor(1000.0 * agree / nullif(comparable, 0)) / 10 as agree_pct,
    floor(1000.0 * "match" / nullif(reconciles - undecidable, 0)) / 10 as match_pct,
    floor(1000.0 * skew / nullif(reconciles - undecidable, 0)) / 10 as skew_pct,
    divergent
from agreement
where namespace || '/' || name like $hpa
order by match_pct, divergent desc, namespace, name;
