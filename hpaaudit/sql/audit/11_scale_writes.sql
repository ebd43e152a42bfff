-- Which observed writes went to each HPA's target?
-- One row per HPA and write, as in runs.scale_writes.
insert into runs.scale_writes by name
select
    s.replay_id, s.hpa_uid, s.namespace, s.name,
    w.* exclude (target_group, target_resource, target_namespace, target_name)
from observed_writes as w
join tenures as s
    on s.namespace = w.target_namespace
    and s.target_name = w.target_name
    and scales(s.target_kind, s.target_api_version, w.target_group, w.target_resource)
    and w.ts >= s.valid_from
    -- What a reconcile wrote at last may be stored just after its HPA got another target.
    and w.ts < coalesce(s.next_from + interval 2 seconds, s.valid_to, 'infinity')
order by s.hpa_uid, w.ts;
