-- Which HPAs were recorded, and what do they scale?
-- One row per HPA.
-- Columns:
--   api_version: in which it was served
--   target_kind: of its last spec
--   target_name: of its last spec
--   created_at: as the API server says
--   seen_at: when it was first seen
--   deleted_at: NULL where it was not
--   labels: JSON: the last that were recorded; NULL where none were, as by version 0.1.0
--   is_asked: the replay was asked for it, with `--hpa`, `-n`, `-l`, or without any of them
create table runs.hpas (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    api_version varchar,
    target_kind varchar,
    target_name varchar,
    created_at timestamp,
    seen_at timestamp,
    deleted_at timestamp,
    labels json,
    is_asked boolean
);
