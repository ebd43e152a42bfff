-- What was the spec of each HPA, and when did it change?
-- One row per spec of an HPA, valid from valid_from until before valid_to (NULL: to the end).
-- Columns:
--   valid_from: from then on
--   valid_to: until before then, NULL: to the end
--   generation: `metadata.generation`
--   target_kind: of scaleTargetRef
--   target_name: of scaleTargetRef
--   target_api_version: of scaleTargetRef
--   min_replicas: NULL where the spec names none
--   max_replicas: of the spec
--   metrics: of the spec
--   behavior: of the spec, NULL without one
--   writer_manager: the field manager that wrote the spec, empty where unknown
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
