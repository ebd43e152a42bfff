-- When did each HPA scale which target?
-- One row per HPA and target in turn, valid from valid_from until before valid_to (NULL: to the end). is_first: no other one
-- came before, of any HPA of this name, and the HPA is older than the recording. Other edits of a spec begin no new row.
-- target: `Deployment/web`.
create temp table tenures as
with named as (
    select
        *, target_kind || '/' || target_name as target,
        -- A Deployment of extensions and one of apps are the same object.
        target || regexp_replace(split_part(target_api_version, '/', 1), '^extensions$', 'apps') as object
    from runs.hpa_specs
), compared as (
    select *, lag(object) over (partition by hpa_uid order by valid_from) is distinct from object as is_new
    from named
)
select
    replay_id, hpa_uid, namespace, name, target_kind, target_name, target_api_version, target, valid_from,
    lead(valid_from) over (partition by hpa_uid order by valid_from) as next_from,
    coalesce(next_from, last_to) as valid_to,
    valid_from = min(valid_from) over (partition by namespace, name)
        and hpa_uid not in (
            select h.hpa_uid
            from runs.hpas as h
            cross join runs.recordings as i
            where h.created_at > i.started_at and h.seen_at > i.started_at + interval 1 second
        ) as is_first
from (
    select *, last_value(valid_to) over (partition by hpa_uid order by valid_from rows between current row and unbounded following) as last_to
    from compared
) as one
where is_new;
