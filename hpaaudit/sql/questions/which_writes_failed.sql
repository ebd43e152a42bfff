-- Which reads and writes of the controller failed, and with which words?
-- One row per HPA, reason and message of its Events.
-- Asked: Was the controller well?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   reason: FailedRescale, FailedUpdateStatus or FailedGetScale
--   message: the controller's words
--   times: how often, by the count of the Event
--   first_at: its first time
--   last_at: its last time
with latest as (
    -- An Event counts all its times: those before $since are taken off.
    select
        namespace, name, reason, message, event_name,
        max(count) - coalesce(max(count) filter (observed_at < $since), 0) as times,
        case
            when bool_or(observed_at < $since)
                then min(coalesce(last_ts, observed_at)) filter (observed_at >= $since)
            else min(coalesce(first_ts, observed_at))
        end as first_at,
        max(coalesce(last_ts, observed_at)) as last_at
    from k8s_events
    where kind = 'HorizontalPodAutoscaler'
        and reason in ('FailedRescale', 'FailedUpdateStatus', 'FailedGetScale')
        and namespace || '/' || name like $hpa
        and observed_at <= $until
    group by namespace, name, reason, message, event_name
    having max(observed_at) >= $since
)
select
    namespace, name, reason, message,
    sum(times)::bigint as times,
    min(first_at) as first_at,
    max(last_at) as last_at
from latest
group by namespace, name, reason, message
order by times desc, namespace, name, reason, message;
