-- Which Events did Kubernetes show, according to the recording?
-- One row per Event and per increase of its count, as in runs.k8s_events.
insert into runs.k8s_events by name
with found (
    seq, at_us, name, type, reason, message, kind, object_namespace, object_name, object_uid, component,
    first_us, last_us, count
) as (
    {events}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as observed_at,
    name as event_name,
    type, reason, message, kind,
    object_namespace as namespace,
    object_name as name,
    object_uid as involved_uid,
    component,
    make_timestamp(first_us) as first_ts,
    make_timestamp(last_us) as last_ts,
    count
from found
order by seq;
