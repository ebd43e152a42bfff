-- What were the states of KEDA's ScaledObjects, according to the recording?
-- One row per observed change or deletion of a ScaledObject, as in runs.scaled_objects.
insert into runs.scaled_objects by name
with found (
    seq, at_us, namespace, name, gone, generation, target_kind, target_name, hpa_name, min_replicas, max_replicas,
    idle_replicas, fallback_replicas, ready, active, fallback, paused, triggers_json, annotations_json
) as (
    {scaled_objects}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as observed_at,
    namespace, name, gone, generation, target_kind, target_name, hpa_name,
    min_replicas, max_replicas, idle_replicas, fallback_replicas,
    ready, active, fallback, paused,
    triggers_json as triggers,
    annotations_json as annotations
from found
order by seq;
