-- Which known patterns does the recording show?
-- One row per HPA and pattern, as in runs.findings, the worst first. Of a replay with --since or --until, what lasted
-- into the time that is shown, as a whole: its numbers are those of all its time.
insert into runs.findings by name
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    row_number() over (
        order by list_position(['critical', 'high', 'medium', 'low', 'info'], p.severity), p.first_at, h.name, p.pattern,
            h.namespace, h.hpa_uid
    ) as finding_id,
    p.pattern,
    p.first_at, p.last_at, p.severity, p.verdict, p.evidence, p.next_step,
    'docs/findings.md#' || p.pattern as documentation
from found as p
join replayed_hpas as h using (hpa_uid)
where (getvariable('since') is null or p.last_at >= getvariable('since'))
    and (getvariable('until') is null or p.first_at <= getvariable('until'))
order by finding_id;
