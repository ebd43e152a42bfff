-- What was the spec of each HPA, and when did it change?
-- One row per spec of an HPA, valid from valid_from until before valid_to (NULL: to the end).
create table runs.hpa_specs (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    valid_from timestamp,
    valid_to timestamp,
    generation bigint,
    target_kind varchar,
    target_name varchar,
    target_api_version varchar,
    min_replicas integer,
    max_replicas integer,
    metrics json,
    behavior json,
    writer_manager varchar
);
