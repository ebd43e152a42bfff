-- When did nobody look, at what, and why?
-- One row per gap. prefix: the API paths that it hides, * for all; stream: what they bring.
create table runs.coverage_gaps (
    replay_id varchar,
    stream varchar,
    prefix varchar,
    gap_from timestamp,
    gap_to timestamp,
    cause varchar
);
