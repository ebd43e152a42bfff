-- Who wrote the scale of which target according to the recording?
-- One row per observed write, failed ones too, as in observed_writes.
insert into observed_writes by name
with found (
    seq, at_us, api_group, resource, namespace, name, path, verb, status, error, "by", agent, manager, sent,
    spec_replicas, status_replicas, selector, resource_version
) as (
    {scale_writes}
)
select
    api_group as target_group,
    resource as target_resource,
    namespace as target_namespace,
    name as target_name,
    make_timestamp(at_us) as ts,
    verb,
    try_cast(status as integer) as http_status,
    error,
    "by" as audit_user,
    agent as user_agent,
    manager,
    case when split_part(path, '?', 1) like '%/scale' then 'scale' else '' end as subresource,
    try_cast(sent as integer) as sent,
    case when status_replicas is not null and selector is not null then try_cast(spec_replicas as integer) end
        as spec_replicas,
    resource_version
from found
order by seq;
