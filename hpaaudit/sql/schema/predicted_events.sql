-- Which Events would the controller have posted, before its client merges repeated ones?
-- One row per Event.
-- Columns:
--   reconcile_id: of `reconciles`
--   seq: order within the reconcile, from 0
--   ts: when that had decided
--   type: `Normal` or `Warning`
--   reason: of the Event
--   message: of the Event
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
