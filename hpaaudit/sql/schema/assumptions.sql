-- Which settings of the controller did the replay use, and how are they known?
-- One row per setting. source: observed, inferred, user or default.
create table runs.assumptions (
    replay_id varchar,
    key varchar,
    value varchar,
    source varchar
);
