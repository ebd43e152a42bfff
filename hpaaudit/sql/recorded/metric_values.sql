-- Which values did the custom and external metrics APIs report, and when were they read?
-- One row per new value, read from the recording. A value holds until the next one of its object.
-- Columns:
--   namespace: where
--   metric: name
--   object: that it describes; of an external metric the labels of the series, as JSON
--   observed_at: when it was read
--   sample_ts: when it was measured, as the answer says
--   window_s: over how many seconds, NULL where the answer does not say
--   value_milli: the value
--   gone: the answer no longer had the object
create view main.metric_values as
with found (seq, namespace, metric, object, gone, timestamp_us, window_us, value_milli) as (
    {metric_values}
), reads (seq, at_us) as (
    {reads}
)
select
    f.namespace::varchar as namespace,
    f.metric::varchar as metric,
    f.object::varchar as object,
    make_timestamp(r.at_us) as observed_at,
    make_timestamp(f.timestamp_us) as sample_ts,
    f.window_us / 1e6 as window_s,
    f.value_milli::bigint as value_milli,
    f.gone::boolean as gone
from found as f
join reads as r using (seq)
order by f.seq, f.namespace, f.metric, f.object;
