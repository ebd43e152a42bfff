-- When did the pod template of each target change?
-- One row per change, as in runs.rollouts.
insert into runs.rollouts by name
with hashes as (
    select *, lag(template_hash) over (partition by hpa_uid, target_since order by seq) as replaced
    from runs.scale_states
    where template_hash <> ''
)
select replay_id, hpa_uid, namespace, name, observed_at as started_at, template_hash as revision, replaced
from hashes
where template_hash <> replaced
    -- A Deployment gets its first revision when its controller sees it: that replaces nothing.
    and not (starts_with(template_hash, 'revision ') and not starts_with(replaced, 'revision '))
order by hpa_uid, started_at;
