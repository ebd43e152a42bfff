-- Which findings presume a fault of the controller that the audit does not find?
-- Deletes them from `found`: a setting that the controller does not have makes them.
delete from found
where pattern in ('ha_metrics_sources', 'misleading_status', 'slow_or_missed_sync', 'stale_informer')
    and (hpa_uid, pattern) not in (select (hpa_uid, pattern) from audited_findings);
