-- Were the metric APIs available?
-- One row per observed change of an APIService.
create table runs.api_services (
    replay_id varchar,
    observed_at timestamp,
    name varchar,
    available varchar,
    reason varchar,
    message varchar,
    service varchar
);
