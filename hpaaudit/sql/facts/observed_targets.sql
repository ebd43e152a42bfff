-- Which scale did each target have, according to the recording?
-- One row per observed change of a target's scale, as in observed_targets: from a watch, or the answer to a read or write.
insert into observed_targets by name
with targets (
    seq, at_us, api_group, resource, namespace, name, gone, resource_version, generation,
    spec_replicas, status_replicas, selector, manager, operation, subresource, written_us, template_hash
) as (
    {targets}
), reads (
    seq, at_us, kind, api, resource, namespace, object, status, resource_version, spec_replicas, status_replicas, scale_selector
) as (
    {reads}
), writes (
    seq, at_us, api_group, resource, namespace, name, resource_version, spec_replicas, status_replicas, selector
) as (
    {scale_writes}
), watched as (
    select
        * exclude (generation, manager, operation, subresource, written_us, template_hash),
        case when not gone then {
            'generation': generation, 'manager': manager, 'operation': operation, 'subresource': subresource,
            'written_us': written_us, 'template_hash': template_hash
        } end as owner
    from targets
), looks as materialized (
    -- Only a watch shows the owner of the number. Until the next watch event it counts as unchanged.
    select
        *, 'watch' as source,
        owner is distinct from lag(owner) over (partition by api_group, resource, namespace, name order by seq)
            as is_owner_new
    from watched
    union all by name
    select
        -- A target of which the API server knows no scale is gone, too.
        seq, at_us, api as api_group, resource, namespace, object as name, status = 404 as gone, resource_version,
        spec_replicas, status_replicas, scale_selector as selector,
        'read' as source, false as is_owner_new
    from reads
    where kind = 'scale'
    union all by name
    select *, false as gone, 'written' as source, false as is_owner_new
    from writes
), objects as (
    select row_number() over () as object, *
    from (select distinct api_group, resource, namespace, name from looks)
), compared as (
    select
        o.object, l.* exclude (api_group, resource, namespace, name),
        -- What comes back after its end is another object.
        case when not lag(l.gone) over one then lag(l.at_us) over one end as looked_at_us,
        lag(l.gone) over one is not false
        or l.spec_replicas is distinct from lag(l.spec_replicas) over one
        or l.status_replicas is distinct from lag(l.status_replicas) over one
        or l.selector is distinct from lag(l.selector) over one
        or l.is_owner_new as is_new
    from looks as l
    join objects as o using (api_group, resource, namespace, name)
    -- A number that no scale can have is not the number of a scale. HPAs of such a target are left out.
    where l.gone
        or (
            try_cast(l.spec_replicas as integer) is not null
            and try_cast(l.status_replicas as integer) is not null
            and l.selector is not null
        )
    window one as (partition by o.object order by l.seq)
), ended as (
    select *, if(lead(gone) over one, lead(at_us) over one, null) as gone_us
    from compared
    where is_new
    window one as (partition by object order by seq)
)
select
    o.api_group as target_group,
    o.resource as target_resource,
    o.namespace as target_namespace,
    o.name as target_name,
    make_timestamp(c.at_us) as observed_at,
    c.seq + 1 as seq,
    c.source,
    make_timestamp(c.looked_at_us) as unchanged_at,
    c.resource_version,
    c.owner.generation as generation,
    c.spec_replicas, c.status_replicas, c.selector,
    c.owner.manager as replicas_manager,
    c.owner.operation as replicas_operation,
    c.owner.subresource as replicas_subresource,
    make_timestamp(c.owner.written_us) as replicas_written_at,
    c.owner.template_hash as template_hash,
    make_timestamp(c.gone_us) as gone_at
from ended as c
join objects as o using (object)
where not c.gone
order by c.seq;
