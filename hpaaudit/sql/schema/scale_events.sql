-- When did spec.replicas change, or should have changed, and who changed it?
-- One row per change. It happened between at_lo and at_hi.
-- Columns:
--   scale_event_id: counts them
--   source: `predicted` (the replay) or `actual` (the world)
--   at_lo: it happened after this
--   at_hi: and not after this
--   from_replicas: before
--   to_replicas: after
--   writer_class: `hpa`, `keda`, `gitops`, `deploy_tool`, `kubectl`, `operator`, `person`, `autoscaler` (another HPA) or `unknown`
--   writer_name: the field manager, else the program, else the user
--   evidence_level: how the writer is known: `audit`, `managed_fields`, `event`, `decision` (an HPA of this target decided just this change just then), `gap` (nobody looked, and several may have written), `none`; `replay` where it is predicted
--   reconcile_id: the reconcile before it
--   is_remade: the target was deleted and made again, with another number
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
    reconcile_id bigint,
    is_remade boolean
);
