-- How often does the replay agree with reality, and how much could not be decided?
-- One row per HPA. The percentages count the decidable reconciles only.
select
    namespace, name, reconciles, undecidable, match_pct,
    round(100.0 * skew / nullif(reconciles - undecidable, 0), 1) as skew_pct,
    divergent
from agreement
where namespace || '/' || name like $hpa
order by match_pct, divergent desc, namespace, name;
