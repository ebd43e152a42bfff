-- Where does another replay of this file decide otherwise than the current one?
-- One row per reconcile and other replay, for example one with another release or flag. What cannot be decided is left out.
-- Asked: What next?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the reconcile had decided
--   desired: what the current replay decided
--   other_desired: what the other replay decided
--   other_reason: why
--   other_replay: the other replay, of runs.replays
--   other_options: the options that it was made with
with mine as (
    select hpa_uid, namespace, name, ts, desired, row_number() over (partition by hpa_uid, ts order by reconcile_id) as nth
    from reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
        and verdict <> 'undecidable'
), others as (
    select r.replay_id, r.hpa_uid, r.ts, r.desired, r.reason_code, p.options,
        -- From 1.2 to 1.5 an HPA may be reconciled several times at one instant.
        row_number() over (partition by r.replay_id, r.hpa_uid, r.ts order by r.reconcile_id) as nth
    from runs.reconciles as r
    join runs.replays as p using (replay_id)
    where r.replay_id <> (select replay_id from current_replay)
        and r.verdict <> 'undecidable'
)
select
    m.namespace, m.name, m.ts, m.desired,
    o.desired as other_desired,
    o.reason_code as other_reason,
    o.replay_id as other_replay,
    o.options as other_options
from mine as m
join others as o on o.hpa_uid = m.hpa_uid and o.ts = m.ts and o.nth = m.nth
where o.desired is distinct from m.desired
order by o.replay_id, m.ts, m.namespace, m.name, m.hpa_uid;
