-- Which conditions did the controller publish, with their exact messages?
-- One row per condition of a status, as in runs.hpa_conditions.
insert into runs.hpa_conditions by name
with each as (
    select seq, replay_id, hpa_uid, namespace, name, observed_at, unnest(status.conditions) as condition
    from statuses
)
select
    replay_id, hpa_uid, namespace, name, observed_at,
    coalesce(condition.type, '') as type,
    coalesce(condition.status, '') as status,
    coalesce(condition.reason, '') as reason,
    coalesce(condition.message, '') as message,
    published_time(condition.lastTransitionTime) as last_transition_time
from each;
