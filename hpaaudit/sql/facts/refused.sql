-- What did the recorder refuse, according to the recording?
-- One row per object, answer or value that was refused, as in runs.refused.
insert into runs.refused by name
with found (seq, at_us, path, namespace, name, reason, object_json, bytes, count) as (
    {refused}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as observed_at,
    path, namespace, name, reason,
    object_json as object,
    bytes,
    count as times
from found
order by seq;
