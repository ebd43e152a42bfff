-- Which known patterns does the recording show?
-- One row per HPA and pattern, as in runs.findings, the worst first.
insert into runs.findings by name
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    row_number() over (
        order by list_position(['critical', 'high', 'medium', 'low', 'info'], p.severity), p.first_at, h.name, p.pattern,
            h.namespace, h.hpa_uid
    ) as finding_id,
    p.pattern, p.first_at, p.last_at, p.severity, p.verdict, p.evidence, p.next_step,
    'docs/findings.md#' || p.pattern as documentation
from found as p
join replayed_hpas as h using (hpa_uid)
order by finding_id;
