-- Which pods existed, who owned them, and how long did they live, according to the recording?
-- One row per pod, as in runs.pods, in the order of their first observation.
insert into runs.pods by name
with states (
    seq, at_us, namespace, name, uid, gone, ready, ready_transition_us, created_us, owner_kind, owner_name
) as (
    {pods}
), known as (
    select
        arg_min(
            {
                'seq': seq, 'at_us': at_us, 'uid': uid, 'namespace': namespace, 'name': name,
                'owner_kind': owner_kind, 'owner_name': owner_name, 'created_us': created_us
            },
            seq
        ) filter (not gone) as seen,
        -- Whatever its first time as Ready says: without a transition time it is not known.
        arg_min({'at_us': ready_transition_us}, seq) filter (not gone and ready = 'True') as was_ready,
        arg_max({'seq': seq, 'at_us': at_us}, seq) filter (gone) as ended
    from states
    group by object_key(uid, namespace, name)
)
select
    (select replay_id from runs.replays) as replay_id,
    seen.uid as pod_uid,
    seen.namespace,
    seen.name,
    seen.owner_kind,
    seen.owner_name,
    make_timestamp(seen.created_us) as created_at,
    make_timestamp(seen.at_us) as seen_at,
    make_timestamp(was_ready.at_us) as ready_at,
    make_timestamp(case when ended.seq > seen.seq then ended.at_us end) as deleted_at
from known
where seen is not null
order by seen.seq;
