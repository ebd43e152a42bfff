-- Which reads of metrics does the recording hold?
-- One row per kind of read, namespace and metric, as in metric_reads. Failed reads count: they were recorded. Of what
-- Heapster answered only answers to the controller count: they name the pods of one reconcile.
insert into metric_reads by name
with reads (at_us, kind, namespace, metric) as (
    {reads}
), heapster_reads (at_us, namespace, path, "by") as (
    {heapster_reads}
)
select distinct kind, namespace, metric, false as is_heapster
from reads
where kind <> 'scale'
union
select distinct
    if(contains(path, '/metrics/custom/'), 'values', 'resource') as kind,
    namespace,
    url_decode(regexp_extract(path, '/metrics/custom/([^?]*)', 1)) as metric,
    true as is_heapster
from heapster_reads
where writer_class("by", '', '', '', 'scale') = 'hpa';
