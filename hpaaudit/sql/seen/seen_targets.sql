-- How did each scale target look, as the recording's own files say?
-- One row per observed change of a target's scale, as in seen_targets: what a watch showed, a read or a write answered.
-- Who owns the number only a watch tells; until the next one it is taken for unchanged.
insert into seen_targets by name
with targets (
    seq, at_us, api_group, resource, namespace, name, gone, resource_version, generation,
    spec_replicas, status_replicas, selector, manager, operation, subresource, written_us, template_hash
) as (
    {targets}
), reads (
    seq, at_us, kind, api, resource, namespace, object, resource_version, spec_replicas, status_replicas, scale_selector
) as (
    {reads}
), writes (
    seq, at_us, api_group, resource, namespace, name, resource_version, spec_replicas, status_replicas, selector
) as (
    {scale_writes}
), looks as (
    select
        seq, at_us, api_group, resource, namespace, name, resource_version, spec_replicas, status_replicas, selector,
        gone,
        'watch' as source,
        {
            'generation': generation, 'manager': manager, 'operation': operation, 'subresource': subresource,
            'written_us': written_us, 'template_hash': template_hash
        } as owner
    from targets
    union all by name
    select
        seq, at_us, api as api_group, resource, namespace, object as name, resource_version,
        spec_replicas, status_replicas, scale_selector as selector,
        false as gone,
        'read' as source
    from reads
    where kind = 'scale'
    union all by name
    select
        seq, at_us, api_group, resource, namespace, name, resource_version, spec_replicas, status_replicas, selector,
        false as gone,
        'written' as source
    from writes
), lives as (
    -- What comes back after its end is another object.
    select *, count(*) filter (gone) over (partition by api_group, resource, namespace, name order by seq) as life
    from looks
    where gone or (spec_replicas is not null and status_replicas is not null and selector is not null)
), owned as (
    select
        * exclude (owner),
        case when source = 'watch' then owner end as owner,
        last_value(case when source = 'watch' then owner end ignore nulls) over (
            partition by api_group, resource, namespace, name, life
            order by seq
            rows between unbounded preceding and current row
        ) as known_owner
    from lives
    where not gone
), compared as (
    select
        *,
        lag(at_us) over one as looked_at_us,
        row_number() over one = 1
        or spec_replicas is distinct from lag(spec_replicas) over one
        or status_replicas is distinct from lag(status_replicas) over one
        or selector is distinct from lag(selector) over one
        or known_owner is distinct from lag(known_owner) over one as is_new
    from owned
    window one as (partition by api_group, resource, namespace, name, life order by seq)
)
select
    api_group as target_group,
    resource as target_resource,
    namespace as target_namespace,
    name as target_name,
    make_timestamp(at_us) as observed_at,
    seq + 1 as seq,
    source,
    make_timestamp(looked_at_us) as unchanged_at,
    resource_version,
    owner.generation as generation,
    spec_replicas, status_replicas, selector,
    owner.manager as replicas_manager,
    owner.operation as replicas_operation,
    owner.subresource as replicas_subresource,
    make_timestamp(owner.written_us) as replicas_written_at,
    owner.template_hash as template_hash
from compared
where is_new
order by seq;
