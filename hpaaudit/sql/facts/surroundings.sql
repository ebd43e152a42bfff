-- What held pods back or changed them, as the recording's own files tell it?
-- One row per observed change of such an object, or its end, as in runs.surroundings.
insert into runs.surroundings by name
with found (seq, at_us, api_group, resource, namespace, name, gone, state_json) as (
    {surroundings}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as observed_at,
    api_group, resource, namespace, name, gone,
    state_json as state
from found
order by seq;
