-- Which reads of metrics does the recording hold?
-- One row per kind of read, namespace and metric. kind: resource, or values for custom and external metrics; is_heapster: Heapster
-- answered it.
create temp table metric_reads (
    kind varchar,
    namespace varchar,
    metric varchar,
    is_heapster boolean
);
