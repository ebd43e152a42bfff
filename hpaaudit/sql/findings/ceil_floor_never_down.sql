-- Which HPAs stay below their target, and are never smaller, because the number is rounded up?
-- One row per HPA: for at least half an hour by one metric at one number of replicas, of the longest such time.
-- Needs: hold.half_an_hour
with low as (
    select
        hpa_uid, ts, lasted_s, spec_replicas, metric_idx, metric, metric_label, ratio
    from readings
    where is_winner
        and action = 'hold'
        and ratio < 1 - tolerance
        and proposal = spec_replicas
        and adjust_code = 'adjust.none'
        and spec_replicas > greatest(min_replicas, 1)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format(
        '{} at {} of its target for {} min, and still {}: for one pod fewer it must fall to {}/{} of its target',
        metric_label, round(avg(ratio), 3), round(sum(lasted_s) / 60)::bigint, counted(spec_replicas, 'replica'),
        spec_replicas - 1, spec_replicas
    ) as verdict,
    json_object('seconds', round(sum(lasted_s), 6), 'mean_ratio', round(avg(ratio), 9), 'replicas', spec_replicas) as evidence,
    'raise the target or the request, or remove a metric whose floor does not depend on load' as next_step
from low
group by hpa_uid, metric_idx, metric, metric_label, spec_replicas
having sum(lasted_s) >= 1800
qualify row_number() over (partition by hpa_uid order by round(sum(lasted_s), 6) desc, min(ts), metric_idx) = 1;
