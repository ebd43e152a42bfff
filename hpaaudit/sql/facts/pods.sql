-- Which pods existed, who owned them, what did they request, and how long did they live, according to the recording?
-- One row per pod, as in runs.pods, in the order of their first observation.
insert into runs.pods by name
with states (
    seq, at_us, namespace, name, uid, gone, phase, ready, ready_transition_us, created_us, owner_kind, owner_name,
    containers_json, init_containers_json, pod_requests_json
) as (
    {pods}
), known as (
    select
        arg_min(
            {
                'seq': seq, 'at_us': at_us, 'uid': uid, 'namespace': namespace, 'name': name,
                'owner_kind': owner_kind, 'owner_name': owner_name, 'created_us': created_us,
                'containers': containers_json, 'init_containers': init_containers_json, 'requests': pod_requests_json
            },
            seq
        ) filter (not gone) as seen,
        arg_max(phase, seq) filter (not gone) as phase,
        -- Whatever its first time as Ready says: without a transition time it is not known.
        arg_min({'at_us': ready_transition_us}, seq) filter (not gone and ready = 'True') as was_ready,
        arg_max({'seq': seq, 'at_us': at_us}, seq) filter (gone) as ended
    from states
    group by object_key(uid, namespace, name)
), templates as (
    -- The pods of a workload have the same containers: their JSON is read once.
    select distinct
        seen.containers as containers, seen.init_containers as init_containers, seen.requests as requests
    from known
    where seen is not null
), parsed as (
    select
        *,
        list_concat(
            from_json(containers, '[{"name": "varchar", "restart_policy": "varchar", "requests_milli": {"cpu": "bigint", "memory": "bigint"}}]'),
            -- A sidecar is an init container that goes on running.
            list_filter(from_json(init_containers, '[{"name": "varchar", "restart_policy": "varchar", "requests_milli": {"cpu": "bigint", "memory": "bigint"}}]'), lambda one: one.restart_policy = 'Always')
        ) as running,
        from_json(requests, '{"cpu": "bigint", "memory": "bigint"}') as whole
    from templates
), asked as (
    select
        containers, init_containers, requests,
        coalesce(whole.cpu, list_sum(list_transform(running, lambda one: one.requests_milli.cpu))) as cpu,
        coalesce(whole.memory, list_sum(list_transform(running, lambda one: one.requests_milli.memory))) as memory,
        list_transform(
            list_filter(running, lambda one: whole.cpu is null and one.requests_milli.cpu is null), lambda one: one.name
        ) as without_cpu,
        list_transform(
            list_filter(running, lambda one: whole.memory is null and one.requests_milli.memory is null),
            lambda one: one.name
        ) as without_memory
    from parsed
)
select
    (select replay_id from runs.replays) as replay_id,
    k.seen.uid as pod_uid,
    k.seen.namespace,
    k.seen.name,
    k.seen.owner_kind,
    k.seen.owner_name,
    make_timestamp(k.seen.created_us) as created_at,
    make_timestamp(k.seen.at_us) as seen_at,
    make_timestamp(k.was_ready.at_us) as ready_at,
    make_timestamp(case when k.ended.seq > k.seen.seq then k.ended.at_us end) as deleted_at,
    k.phase,
    a.cpu as cpu_request_milli,
    a.memory as memory_request_milli,
    a.without_cpu as without_cpu_request,
    a.without_memory as without_memory_request
from known as k
join asked as a
    on a.containers = k.seen.containers
    and a.init_containers = k.seen.init_containers
    and a.requests is not distinct from k.seen.requests
where k.seen is not null
order by k.seen.seq;
