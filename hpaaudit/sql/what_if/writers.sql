-- Who changed the replicas, where only what an HPA decided tells that?
-- Sets the writers in runs.scale_events as the audit knows them: a what-if decides something else.
update runs.scale_events as e
set writer_class = a.writer_class, writer_name = a.writer_name, evidence_level = a.evidence_level
from audited_writers as a
where e.source = 'actual'
    and e.evidence_level in ('decision', 'none')
    and e.hpa_uid = a.hpa_uid
    and e.at_hi = a.at_hi
    and e.from_replicas = a.from_replicas
    and e.to_replicas = a.to_replicas;
