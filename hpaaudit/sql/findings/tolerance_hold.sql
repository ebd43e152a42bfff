-- Which HPAs stood above their target for long, inside the tolerance, so that nothing happened?
-- One row per HPA: for half an hour by one metric with one tolerance, of the longest such time, where without the tolerance there
-- would be a pod more.
-- Needs: tolerance.hold
with held as (
    select *, begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from readings
    where is_winner
        and reason_code = 'tolerance.hold'
        and ratio > 1.02
        and spec_replicas < max_replicas
        and ceil(ratio * ready_pods) > spec_replicas
    window one as (partition by hpa_uid, metric_idx, metric, tolerance order by ts, reconcile_id)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'info' as severity,
    format(
        '{} stood at {:.4g} % of its target for {:.0f} min{}: the tolerance of {:.4g} % holds up to {:.4g} %', metric_label,
        100 * avg(ratio), sum(lasted_s) / 60,
        if(sum(is_first::integer) > 1, format(' in {} stretches', sum(is_first::integer)), ''),
        100 * tolerance, 100 + 100 * tolerance
    ) as verdict,
    json_object('seconds', round(sum(lasted_s), 6), 'mean_ratio', round(avg(ratio), 9), 'tolerance', tolerance) as evidence,
    'lower the target, or set behavior.scaleUp.tolerance where the release has it' as next_step
from held
group by hpa_uid, metric_idx, metric, metric_label, tolerance
having sum(lasted_s) >= 1800
qualify row_number() over (partition by hpa_uid order by round(sum(lasted_s), 6) desc, min(ts), metric_idx) = 1;
