-- Which Events did Kubernetes show?
-- One row per Event and per increase of its count.
-- Columns:
--   observed_at: when it was observed
--   event_name: of the Event object
--   type: `Normal` or `Warning`
--   reason: of the Event
--   message: of the Event
--   kind: of the object that it is about
--   namespace: of that object
--   name: of that object
--   involved_uid: of that object
--   component: that posted it
--   first_ts: first time
--   last_ts: last time
--   count: how often
create table runs.k8s_events (
    replay_id varchar,
    observed_at timestamp,
    event_name varchar,
    type varchar,
    reason varchar,
    message varchar,
    kind varchar,
    namespace varchar,
    name varchar,
    involved_uid varchar,
    component varchar,
    first_ts timestamp,
    last_ts timestamp,
    count integer
);
