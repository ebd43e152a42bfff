-- Whom does the audit name as the writer of a change, where only the decisions or nothing tell?
-- One row per such change.
select hpa_uid, at_hi, from_replicas, to_replicas, writer_class, writer_name, evidence_level
from scale_events
where source = 'actual' and evidence_level in ('decision', 'none');
