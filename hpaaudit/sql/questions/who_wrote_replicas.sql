-- Who wrote the replica count, and how many pods did each writer move?
-- One row per HPA and writer.
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
