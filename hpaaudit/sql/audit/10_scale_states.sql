-- Which scales did each HPA's target have?
-- One row per HPA and observed change, as in runs.scale_states. An older object that a slower source showed later, by its
-- resource version, is not a change.
insert into runs.scale_states by name
with mine as (
    select
        s.replay_id, s.hpa_uid, s.namespace, s.name, t.* exclude (target_group, target_resource, target_namespace, target_name),
        max(try_cast(t.resource_version as ubigint)) over (
            partition by s.hpa_uid
            order by t.seq
            rows between unbounded preceding and 1 preceding
        ) as newest_version
    from observed_targets as t
    join runs.hpa_specs as s
        on s.namespace = t.target_namespace
        and s.target_name = t.target_name
        and scales(s.target_kind, s.target_api_version, t.target_group, t.target_resource)
        -- The first spec also counts for earlier observations, because lists arrive in any order; not that of an HPA which
        -- was made anew.
        and (t.observed_at >= s.valid_from or s.valid_from = (
            select min(first.valid_from)
            from runs.hpa_specs as first
            where first.namespace = s.namespace and first.name = s.name
        ))
        and t.observed_at < coalesce(s.valid_to, 'infinity')
)
select * exclude (newest_version)
from mine
where coalesce(try_cast(resource_version as ubigint) >= newest_version, true)
order by hpa_uid, seq;
