-- Which spec.replicas and status.replicas did each HPA's target have, and which manager owned spec.replicas?
-- One row per observed change of the target's scale.
-- Columns:
--   observed_at: when it was observed
--   seq: order in which it was seen
--   source: `watch`, `read` or `written`
--   unchanged_at: when the state before it was last seen
--   resource_version: of the target
--   generation: of the target
--   spec_replicas: asked for
--   status_replicas: there
--   selector: of the scale, as text
--   replicas_manager: field manager that owns `spec.replicas`, empty where nobody does
--   replicas_operation: `Update` or `Apply`
--   replicas_subresource: `scale`, or empty
--   replicas_written_at: by managedFields, to the second
--   template_hash: changes with a rollout
--   target: whose scale it is, `Deployment/web`
--   target_since: since when the HPA scales this target, or was seen
--   gone_at: when the target was found to be gone, after it had been in this state; NULL if it was not, or another state came first
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
    template_hash varchar,
    target varchar,
    target_since timestamp,
    gone_at timestamp
);
