-- How many pod-minutes does each replay of this file ask for?
-- One row per HPA and replay. Between replays with other releases or flags the difference is what that would cost or save.
-- Asked: What did it cost?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   replay: the replay, of runs.replays
--   release: the release whose rules decided; of several controller processes the first one's
--   narrowed_to: the times and HPAs that it shows, if it does not show all; its pod-minutes are of these alone
--   options: all options that it was made with; empty for the audit
--   pod_minutes: the replicas that it decided, NULL if it could decide nothing, times the minutes until its next reconcile, whatever others wrote meanwhile
--   unlimited_pod_minutes: the replicas that its metrics asked for, also beyond minReplicas and maxReplicas, times these minutes; where none were consulted those that it decided
--   difference: pod_minutes beyond those of the current replay, in the reconciles that both have; NULL if there is none
with told as (
    select
        replay_id, hpa_uid, namespace, name, ts, raw_desired, lasted_s,
        if(bool_and(verdict = 'undecidable') over (partition by replay_id, hpa_uid), null, desired) as desired,
        -- From 1.2 to 1.5 an HPA may be reconciled several times at one instant.
        row_number() over (partition by replay_id, hpa_uid, ts order by reconcile_id) as nth
    from runs.reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
), current as (
    from told
    where replay_id = (select replay_id from current_replay)
)
select
    any_value(t.namespace) as namespace,
    any_value(t.name) as name,
    t.replay_id as replay,
    any_value(p.release) as release,
    nullif(
        array_to_string(
            list_transform(
                regexp_extract_all(any_value(p.options), '--(?:since|until|hpa|selector) (?:''[^'']*''|\S+)'),
                lambda option: option[3:]
            ),
            ', '
        ),
        ''
    ) as narrowed_to,
    any_value(p.options) as options,
    round(sum(t.desired * t.lasted_s) / 60, 1) as pod_minutes,
    round(sum(if(t.desired is null, null, coalesce(t.raw_desired, t.desired)) * t.lasted_s) / 60, 1) as unlimited_pod_minutes,
    -- A replay with --until ends the last one earlier.
    round(sum((t.desired - c.desired) * least(t.lasted_s, c.lasted_s)) / 60, 1) as difference
from told as t
join runs.replays as p using (replay_id)
left join current as c on c.hpa_uid = t.hpa_uid and c.ts = t.ts and c.nth = t.nth
group by t.hpa_uid, t.replay_id
order by namespace, name, any_value(p.ran_at), t.replay_id, t.hpa_uid;
