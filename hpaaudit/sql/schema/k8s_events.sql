-- Which Events did Kubernetes show?
-- One row per Event and per increase of its count. kind, namespace and name are those of the involved object.
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
