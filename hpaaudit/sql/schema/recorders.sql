-- Which recorder observed the cluster, and could it verify that it was this cluster?
-- One row per start of a recorder.
create table runs.recorders (
    replay_id varchar,
    started_at timestamp,
    version varchar,
    server varchar,
    trust varchar,
    auth varchar
);
