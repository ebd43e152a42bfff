-- Which HPAs followed the fallback of KEDA, not their trigger?
-- One row per HPA.
-- Needs: relation.scaled_objects
with states as (
    select
        o.*, coalesce(lead(o.observed_at) over (partition by o.namespace, o.name order by o.observed_at), i.ended_at) as until
    from runs.scaled_objects as o
    cross join runs.recordings as i
)
select
    h.hpa_uid, min(s.observed_at) as first_at, max(s.until) as last_at,
    cost_severity(0, 0, sum(epoch_us(s.until - s.observed_at)) / 1e6) as severity,
    format(
        'KEDA fell back to {} for {} s: the trigger of {} failed',
        counted(arg_min(s.fallback_replicas, (s.observed_at, s.name)), 'replica'),
        round(sum(epoch_us(s.until - s.observed_at)) / 1e6)::bigint, arg_min(s.name, (s.observed_at, s.name))
    ) as verdict,
    json_object(
        'scaled_object', arg_min(s.name, (s.observed_at, s.name)), 'seconds', sum(epoch_us(s.until - s.observed_at)) / 1e6,
        'replicas', arg_min(s.fallback_replicas, (s.observed_at, s.name))
    ) as evidence,
    'repair the trigger: the logs of keda-operator name its error' as next_step
from states as s
join replayed_hpas as h on h.namespace = s.namespace and h.name = s.hpa_name
where s.fallback = 'True' and not s.gone
group by h.hpa_uid;
