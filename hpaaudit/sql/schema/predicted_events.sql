-- Which Events would the controller have posted, before its client merges repeated ones?
-- One row per Event.
create table runs.predicted_events (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    seq integer,
    ts timestamp,
    type varchar,
    reason varchar,
    message varchar
);
