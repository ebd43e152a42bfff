-- What did the recorder not take up, for it has another shape than Kubernetes gives it?
-- One row per object, answer or value that was refused, and once a minute for what is refused again and again.
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
