-- Which reads of metrics does the recording hold?
-- One row per kind of read, namespace and metric, as in metric_reads. Failed reads count: they were recorded. Heapster
-- answers for the resource metrics API and for metrics of pods.
insert into metric_reads by name
with reads (at_us, kind, namespace, metric) as (
    {reads}
), heapster_reads (at_us, namespace, path) as (
    {heapster_reads}
)
select distinct kind, namespace, metric
from reads
where kind <> 'scale'
union
select distinct
    if(contains(path, '/metrics/custom/'), 'values', 'resource') as kind,
    namespace,
    url_decode(regexp_extract(path, '/metrics/custom/([^?]*)', 1)) as metric
from heapster_reads;
