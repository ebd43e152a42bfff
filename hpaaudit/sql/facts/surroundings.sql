-- What kept pods from starting, or changed them, according to the recording?
-- One row per observed change or deletion of such an object, as in runs.surroundings.
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
