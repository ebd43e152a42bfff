-- Which scale did each target have, before it is matched with HPAs?
-- One row per observed change of a target's scale.
create temp table observed_targets (
    target_group varchar,
    target_resource varchar,
    target_namespace varchar,
    target_name varchar,
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
    template_hash varchar,
    gone_at timestamp
);
