-- Which writes of the scale does the controller make, and how were they answered?
-- One row per attempt. Releases from 1.34 on try again after a conflict.
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
