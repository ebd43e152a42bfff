-- Where do prediction and reality differ, by class, severity and confidence?
-- One row per class, severity and confidence, the worst first. What began before $since and lasted until then counts.
-- Asked: Can I trust this?
-- Columns:
--   class: why they differ
--   severity: critical, high, medium, low or info
--   confidence: proven, likely, possible or undecidable
--   episodes: how many runs of reconciles
--   hpas: of how many HPAs
--   pods: the pods by which they differ, summed over the episodes
--   first_at: when the first one began
--   last_at: when the last one ended, or began if it is open
select
    class, severity, confidence,
    count(*) as episodes,
    count(distinct hpa_uid) as hpas,
    coalesce(sum(abs(predicted::bigint - actual)), 0)::bigint as pods,
    min(opened_at) as first_at,
    max(coalesce(closed_at, opened_at)) as last_at
from divergences
where namespace || '/' || name like $hpa
    and opened_at <= $until
    and coalesce(closed_at, 'infinity') > $since
group by class, severity, confidence
order by list_position(['critical', 'high', 'medium', 'low', 'info'], severity), episodes desc, class, confidence;
