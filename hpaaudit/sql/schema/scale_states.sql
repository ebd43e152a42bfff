-- Which spec.replicas and status.replicas did each HPA's target have, and which manager owned spec.replicas?
-- One row per observed change of the target's scale. source: watch, read or written;
-- unchanged_at: when the state before it was last observed.
create table runs.scale_states (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    observed_at timestamp,
    seq bigint,
    source varchar,
    unchanged_at timestamp,
    resource_version varchar,
    generation bigint,
    spec_replicas integer,
    status_replicas integer,
    selector varchar,
    replicas_manager varchar,
    replicas_operation varchar,
    replicas_subresource varchar,
    replicas_written_at timestamp,
    template_hash varchar
);
