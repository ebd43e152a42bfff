-- Which reads of metrics does the recording hold?
-- One row per kind of read, namespace and metric, as in metric_reads. Failed reads count: they were recorded.
insert into metric_reads by name
with reads (at_us, kind, namespace, metric) as (
    {reads}
)
select distinct kind, namespace, metric
from reads
where kind <> 'scale';
