-- Who wrote the replicas of a target, or tried to, according to an audit log or a capture?
-- One row per observed write.
-- Columns:
--   ts: when it was answered
--   verb: `put`, `patch`, `post` or `delete`
--   http_status: how; 0: not at all
--   error: of the answer
--   audit_user: who
--   user_agent: with which program
--   manager: as which field manager
--   subresource: `scale`, or empty
--   sent: what was asked for
--   spec_replicas: what stood afterwards
--   resource_version: of the target afterwards
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
