-- Which states did each pod have, and since when?
-- One row per observed change of a pod, read from the recording.
-- Columns:
--   pod_uid: of `pods`
--   namespace: where
--   name: of the pod
--   observed_at: when it was observed
--   phase: of the status
--   deletion_timestamp: NULL while nobody deletes it
--   start_time: of the status
--   ready: status of the condition Ready, empty without one
--   ready_transition: when that last changed
--   gone: it was deleted
create view main.pod_states as
with pods (seq, at_us, namespace, name, uid, gone, phase, deleting_us, start_us, ready, ready_transition_us) as (
    {pods}
)
select
    uid::varchar as pod_uid,
    namespace::varchar as namespace,
    name::varchar as name,
    make_timestamp(at_us) as observed_at,
    phase::varchar as phase,
    make_timestamp(deleting_us) as deletion_timestamp,
    make_timestamp(start_us) as start_time,
    ready::varchar as ready,
    make_timestamp(ready_transition_us) as ready_transition,
    gone::boolean as gone
from pods
order by seq;
