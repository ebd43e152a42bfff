-- Which HPAs share their target, or their bounds, with a canary controller?
-- One row per HPA.
-- Needs: writer.operator spec.changed
with touched as (
    select hpa_uid, at_hi as ts, writer_name as who, 'replicas' as what
    from runs.scale_events
    where source = 'actual' and regexp_matches(writer_name, '(?i)\b(rollouts-controller|argo-rollouts|flagger)\b')
    union all
    select hpa_uid, valid_from, writer_manager, 'spec'
    from runs.hpa_specs
    where regexp_matches(writer_manager, '(?i)\b(rollouts-controller|argo-rollouts|flagger)\b')
)
select
    t.hpa_uid, min(t.ts) as first_at, max(t.ts) as last_at, 'medium' as severity,
    format(
        '{} wrote the {} {}', enumerated(list(distinct t.who order by t.who)),
        string_agg(distinct t.what, ' and the ' order by t.what), counted(count(*), 'time')
    ) as verdict,
    json_object('writes', count(*)) as evidence,
    'follow its rules for HPAs: let it refer to the HPA, and let only one of both write replicas' as next_step
from touched as t
cross join runs.recordings as i
where t.ts between i.started_at and i.ended_at
group by t.hpa_uid;
