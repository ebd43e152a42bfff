-- Which pods did the target of each HPA make, and from when until when did they exist?
-- One row per HPA and pod that its target made, by the owners of the pod. Pods without an owner are of no target.
-- Columns:
--   pod: its name
--   pod_uid: of `pods`
--   created_at: as the API server says
--   seen_at: when it was first seen
--   ready_at: when it first was Ready
--   deleted_at: NULL where its end was not seen
create view main.hpa_pods as
with owned as (
    select *, root_owner(owner_kind, owner_name) as made_by
    from main.pods
    where owner_name <> ''
), targets as (
    select distinct replay_id, hpa_uid, namespace, name, target_kind, target_name
    from main.hpa_specs
)
select
    t.replay_id, t.hpa_uid, t.namespace, t.name,
    p.name as pod,
    p.pod_uid, p.created_at, p.seen_at, p.ready_at, p.deleted_at
from owned as p
join targets as t
    on t.namespace = p.namespace
    and t.target_name = p.made_by.name
    and t.target_kind = coalesce(p.made_by.kind, t.target_kind);
