-- What did the controller remember after a reconcile?
-- One row per reconcile, with --detail all. NULL: this memory does not exist yet. Slots are in upstream's order.
-- Columns:
--   reconcile_id: of `reconciles`
--   recommendations: slots in the controller's order; NULL: this memory does not exist yet
--   up: scale-ups by this HPA; `outdated` slots are used again
--   down: scale-downs by this HPA
create table runs.memories (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    recommendations struct(replicas integer, ts timestamp)[],
    up struct(change integer, ts timestamp, outdated boolean)[],
    down struct(change integer, ts timestamp, outdated boolean)[]
);
