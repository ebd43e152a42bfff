-- Who wrote the replicas of a target, or tried to, as an audit log or a capture tells?
-- One row per write that was seen. sent: what was asked for; spec_replicas: what stood afterwards.
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
