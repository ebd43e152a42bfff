-- What became of each number of replicas: were the pods made, did they become ready, what was missing?
-- One row per HPA and time with the same spec.replicas of its target.
-- Columns:
--   ts: since when the target had this number, or since the recording began
--   until: until its next change, or until the target was gone, or the HPA or the recording ended
--   scale_event_id: the change that began it, of `scale_events`; NULL for the first one
--   from_replicas: the number before; NULL for the first one
--   wanted: `spec.replicas`
--   made: the most pods that the target had meanwhile; NULL where its status was not seen
--   made_at: when the target first had so many
--   ready: the most pods that were ready meanwhile; NULL where no pod names its owner
--   ready_at: when so many were first ready
--   removed: pods that ended meanwhile, beyond those that a lower number took away
--   class: what became of it: see *Effects*
--   pod_seconds_missing: pods that were not ready, times the seconds; where that is unknown, pods that were not made
--   cause: the words of an Event that tells why, NULL without one
create table runs.effects (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    ts timestamp,
    until timestamp,
    scale_event_id bigint,
    from_replicas integer,
    wanted integer,
    made integer,
    made_at timestamp,
    ready integer,
    ready_at timestamp,
    removed integer,
    class varchar,
    pod_seconds_missing double,
    cause varchar
);
