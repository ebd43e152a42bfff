-- Which writes of the scale does the controller make, and how were they answered?
-- One row per attempt. Releases from 1.34 on try again after a conflict.
-- Columns:
--   reconcile_id: of `reconciles`
--   seq: order within the reconcile, from 0
--   ts: when that had decided
--   to_replicas: what it asks for
--   http_status: how it was answered; 0: not at all
create table runs.predicted_writes (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    seq integer,
    ts timestamp,
    to_replicas integer,
    http_status integer
);
