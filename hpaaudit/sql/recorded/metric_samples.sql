-- Which usage did the resource metrics API report for each container, and when was it read?
-- One row per new sample of a container, read from the recording. A sample holds until the next one of its pod.
-- Columns:
--   namespace: where
--   pod: name
--   container: name
--   observed_at: when it was read
--   sample_ts: when it was measured, as the answer says
--   window_s: over how many seconds
--   cpu_milli: millicores, rounded up as the controller does
--   memory_bytes: what it uses of memory
--   gone: the answer no longer had the pod
create view main.metric_samples as
with samples (seq, namespace, pod, container, gone, timestamp_us, window_us, cpu_milli, memory_bytes) as (
    {samples}
), reads (seq, at_us) as (
    {reads}
)
select
    s.namespace::varchar as namespace,
    s.pod::varchar as pod,
    s.container::varchar as container,
    make_timestamp(r.at_us) as observed_at,
    make_timestamp(s.timestamp_us) as sample_ts,
    s.window_us / 1e6 as window_s,
    s.cpu_milli::bigint as cpu_milli,
    s.memory_bytes::bigint as memory_bytes,
    s.gone::boolean as gone
from samples as s
join reads as r using (seq)
order by s.seq, s.namespace, s.pod, s.container;
