-- When was what not observed, and why?
-- One row per gap. prefix: the API paths that it hides, * for all; stream: the kind of data on these paths.
create table runs.coverage_gaps (
    replay_id varchar,
    stream varchar,
    prefix varchar,
    gap_from timestamp,
    gap_to timestamp,
    cause varchar
);
