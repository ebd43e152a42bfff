-- Who wrote the replica count, and how many pods did each writer move?
-- One row per HPA and writer.
-- Asked: Who wrote?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   writer_class: hpa, keda, gitops, deploy_tool, kubectl, operator, person, autoscaler (another HPA) or unknown
--   writer_name: the field manager, else the program, else the user
--   evidence_level: how the writer is known: audit, managed_fields, event, decision, gap or none
--   writes: how often it changed the replicas
--   pods_moved: the pods that it added and removed together
--   first_at: its first write
--   last_at: its last write
select
    namespace, name, writer_class, writer_name, evidence_level,
    count(*) as writes,
    sum(abs(to_replicas::bigint - from_replicas))::bigint as pods_moved,
    min(at_hi) as first_at,
    max(at_hi) as last_at
from scale_events
where source = 'actual'
    and namespace || '/' || name like $hpa
    and at_hi between $since and $until
group by namespace, name, writer_class, writer_name, evidence_level
order by pods_moved desc, namespace, name, writer_class, writer_name;
