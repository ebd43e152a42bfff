-- When was what not observed, and why?
-- One row per gap.
-- Columns:
--   stream: `everything`, `hpas`, `metrics`, `pods`, `targets`, `events`, `leases`, `api_services`, `scaled_objects`, `surroundings`, or `writers`: the scale was read, but not who wrote it, nor rollouts
--   prefix: of the API paths that it hides, `*` for all; `PATH#writers` for a part of what they tell, `PATH/pods#deployments/NAME` for the pods of one workload
--   gap_from: from then on
--   gap_to: until then
--   cause: why
create table runs.coverage_gaps (
    replay_id varchar,
    stream varchar,
    prefix varchar,
    gap_from timestamp,
    gap_to timestamp,
    cause varchar
);
