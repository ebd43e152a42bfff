-- How many pod-minutes does each replay of this file ask for?
-- One row per HPA and replay. Between replays with other releases or flags the difference is what that would cost or save.
-- Asked: What did it cost?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   replay: the replay, of runs.replays
--   release: the release whose rules decided; of several controller processes the first one's
--   options: the options that it was made with; empty for the audit
--   pod_minutes: the replicas that it decided, times the minutes until its next reconcile, whatever others wrote meanwhile
--   unlimited_pod_minutes: the replicas that its metrics asked for, also beyond minReplicas and maxReplicas, times these minutes; where none were consulted those that it decided
--   difference: pod_minutes beyond those of the current replay
with totals as (
    select
        replay_id, hpa_uid, any_value(namespace) as namespace, any_value(name) as name,
        sum(desired * lasted_s) / 60 as pod_minutes,
        sum(coalesce(raw_desired, desired) * lasted_s) / 60 as unlimited
    from runs.reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
    group by replay_id, hpa_uid
), current as (
    select hpa_uid, pod_minutes
    from totals
    where replay_id = (select replay_id from current_replay)
)
select
    t.namespace, t.name,
    t.replay_id as replay,
    p.release, p.options,
    round(t.pod_minutes, 1) as pod_minutes,
    round(t.unlimited, 1) as unlimited_pod_minutes,
    round(t.pod_minutes - c.pod_minutes, 1) as difference
from totals as t
join runs.replays as p using (replay_id)
left join current as c using (hpa_uid)
order by t.namespace, t.name, p.ran_at, t.replay_id, t.hpa_uid;
