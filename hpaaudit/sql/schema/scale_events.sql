-- When did spec.replicas change, or should have changed, and who changed it?
-- One row per change. source: predicted (by the replay) or actual (in the cluster). It happened between at_lo and at_hi.
-- evidence_level: audit, managed_fields, event, decision, none (actual) or replay (predicted).
create table runs.scale_events (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    scale_event_id bigint,
    source varchar,
    at_lo timestamp,
    at_hi timestamp,
    from_replicas integer,
    to_replicas integer,
    writer_class varchar,
    writer_name varchar,
    evidence_level varchar,
    reconcile_id bigint
);
