-- Who wrote the scale of which target, before it is matched with HPAs?
-- One row per observed write, failed ones too.
create temp table observed_writes (
    target_group varchar,
    target_resource varchar,
    target_namespace varchar,
    target_name varchar,
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
