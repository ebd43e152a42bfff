-- Which known patterns does the recording show?
-- One row per HPA and pattern, as in runs.findings, the worst first. Of a replay with --since or --until, what lasted
-- into the time that is shown, cut to it.
insert into runs.findings by name
select
    h.replay_id, h.hpa_uid, h.namespace, h.name,
    row_number() over (
        order by list_position(['critical', 'high', 'medium', 'low', 'info'], p.severity), p.first_at, h.name, p.pattern,
            h.namespace, h.hpa_uid
    ) as finding_id,
    p.pattern,
    greatest(p.first_at, coalesce(getvariable('since'), p.first_at)) as first_at,
    least(p.last_at, coalesce(getvariable('until'), p.last_at)) as last_at,
    p.severity, p.verdict, p.evidence, p.next_step,
    'docs/findings.md#' || p.pattern as documentation
from found as p
join replayed_hpas as h using (hpa_uid)
where (getvariable('since') is null or p.last_at >= getvariable('since'))
    and (getvariable('until') is null or p.first_at <= getvariable('until'))
order by finding_id;
