-- Which statuses and Events are not what happened, as far as a what-if can tell?
-- Deletes from runs.reports what only its own decisions contradict.
delete from runs.reports
where class in ('report.other_reason', 'report.wrong_condition')
    and (hpa_uid, ts, class) not in (select (hpa_uid, ts, class) from audited_reports);
