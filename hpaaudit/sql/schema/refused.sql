-- What did the recorder refuse, because it is not shaped as the Kubernetes API defines it?
-- One row per object, answer or value that was refused, at most one per minute for the same one.
create table runs.refused (
    replay_id varchar,
    observed_at timestamp,
    path varchar,
    namespace varchar,
    name varchar,
    reason varchar,
    object varchar,
    bytes bigint,
    times bigint
);
