-- Which HPAs followed the fallback of KEDA, not their trigger?
-- One row per HPA.
-- Needs: relation.scaled_objects
with states as (
    select
        o.*, coalesce(lead(o.observed_at) over (partition by o.namespace, o.name order by o.observed_at), i.ended_at) as until
    from runs.scaled_objects as o
    cross join runs.recordings as i
), followed as (
    -- Of several HPAs of one name in turn each has its own part.
    select
        h.hpa_uid, s.name, s.fallback_replicas, greatest(s.observed_at, h.seen_at) as first_at,
        least(s.until, coalesce(h.deleted_at, s.until)) as last_at
    from states as s
    join runs.hpas as h
        on h.namespace = s.namespace
        and h.name = s.hpa_name
        and h.seen_at < s.until
        and s.observed_at < coalesce(h.deleted_at, 'infinity')
    where s.fallback = 'True' and not s.gone
)
select
    hpa_uid, min(first_at) as first_at, max(last_at) as last_at,
    cost_severity(0, 0, sum(epoch_us(last_at - first_at)) / 1e6) as severity,
    format(
        'KEDA fell back to {} for {} s: the trigger of {} failed',
        range_in_words(min(fallback_replicas), max(fallback_replicas))
        || if(max(fallback_replicas) = 1, ' replica', ' replicas'),
        round(sum(epoch_us(last_at - first_at)) / 1e6)::bigint, enumerated(list(distinct name order by name))
    ) as verdict,
    json_object(
        'scaled_object', arg_min(name, (first_at, name)), 'seconds', sum(epoch_us(last_at - first_at)) / 1e6,
        'replicas', arg_min(fallback_replicas, (first_at, name))
    ) as evidence,
    'repair the trigger: the logs of keda-operator name its error' as next_step
from followed
group by hpa_uid;
