-- Who wrote the replicas of a target, or tried to, according to an audit log or a capture?
-- One row per observed write. sent: the requested number; spec_replicas: the number afterwards.
create table runs.scale_writes (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    ts timestamp,
    verb varchar,
    http_status integer,
    error varchar,
    audit_user varchar,
    user_agent varchar,
    manager varchar,
    subresource varchar,
    sent integer,
    spec_replicas integer,
    resource_version varchar
);
