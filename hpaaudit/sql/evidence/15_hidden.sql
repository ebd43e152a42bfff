-- What was not looked at when this reconcile took place, since when and until when?
-- One row, none if the HPA and its target were looked at then, or what the gap hid made no difference. hides_hpa,
-- hides_target: which of them; hides_next: also when the next reconcile read the target.
with spans as (
    select
        r.reconcile_id, r.ts, r.ts + to_microseconds((1e6 * coalesce(r.lasted_s, 0))::bigint) as ended_at,
        r.namespace, r.name, a.target_name, metric_names(a.metrics) as metrics
    from reconciles as r
    left join hpa_specs as a
        on a.hpa_uid = r.hpa_uid
        and r.ts >= a.valid_from
        and r.ts < coalesce(a.valid_to, 'infinity')
    where r.reconcile_id in ($reconcile_ids) and r.class = 'no_data.recording_gap'
)
select
    s.reconcile_id, epoch_us(min(g.gap_from)) as since_us, epoch_us(max(g.gap_to)) as until_us,
    bool_or(g.stream in ('everything', 'hpas')) as hides_hpa,
    bool_or(g.stream in ('everything', 'targets')) as hides_target,
    coalesce(bool_or(g.gap_to > s.ended_at) filter (g.stream in ('everything', 'targets')), false) as hides_next
from spans as s
join coverage_gaps as g on g.gap_from <= s.ts and g.gap_to > s.ts
where g.stream in ('everything', 'hpas', 'targets')
    and gap_hides(g.prefix, s.namespace, s.metrics)
    and gap_of_object(g.prefix, s.name, s.target_name)
group by s.reconcile_id
order by s.reconcile_id;
