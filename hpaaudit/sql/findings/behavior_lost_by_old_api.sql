-- Which HPAs lost their behavior when somebody applied an older API version?
-- One row per HPA.
-- Needs: spec.changed
with specs as (
    select
        hpa_uid, valid_from, behavior, writer_manager,
        lag(behavior) over (partition by hpa_uid order by valid_from) as behavior_before
    from runs.hpa_specs
)
select
    hpa_uid, min(valid_from) as first_at, max(valid_from) as last_at, 'medium' as severity,
    format(
        '{} removed the behavior {}',
        coalesce(nullif(mode(writer_manager order by writer_manager), ''), 'somebody'), counted(count(*), 'time')
    )
        as verdict,
    json_object('times', count(*), 'writer', mode(writer_manager order by writer_manager)) as evidence,
    'apply the HPA as autoscaling/v2' as next_step
from specs
where behavior is null and behavior_before is not null
group by hpa_uid;
