-- Which HPAs had a metric so large that the number of replicas overflows, or a negative one?
-- One row per HPA. A number beyond 32 bits becomes the least or the greatest one; a value beyond 64 bits of thousandths may become
-- negative, and is then not told from one that its source gave so.
-- Needs: metric.overflow
with judged as (
    select
        p.hpa_uid, p.reconcile_id, p.ts, p.metric_idx, p.metric_label, p.ratio, p.proposal, r.spec_replicas, r.desired, r.actual,
        -- Another metric, a bound or an earlier recommendation may move the replicas the other way.
        p.is_winner and sign(r.desired - r.spec_replicas) = sign(p.proposal::bigint - r.spec_replicas) as is_followed,
        -- At zero replicas the ratio of an average is infinite for any load: only the proposal tells. With pods that are not
        -- ready the controller may hold such a proposal, but then the ratio is finite.
        p.proposal in (-2147483648, 2147483647)
        or isfinite(p.ratio) and p.ratio >= 1e6 and p.ratio * greatest(r.spec_replicas, 1) >= 2147483648 as overflows
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
    where p.valid and not isnan(p.ratio)
), odd as (
    select *
    from judged
    where overflows or ratio < 0
), worst as (
    select *, row_number() over (partition by hpa_uid order by overflows desc, abs(ratio) desc, ts, metric_idx) as nth
    from odd
), told as (
    -- Other metrics, and negative values beside those that overflow, have other times.
    -- ratios: how many, for the number of one is not that of all.
    select w.*, count(distinct w.ratio) over (partition by w.hpa_uid) as ratios
    from worst as w
    join (from worst where nth = 1) as f using (hpa_uid, overflows, metric_label)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, if(bool_or(overflows), 'critical', 'high') as severity,
    if(count(distinct reconcile_id) > 1, format('in {} ', counted(count(distinct reconcile_id), 'reconcile')), '') || any_value(
        if(
            overflows,
            format(
                '{} counted as {}{} its target, which asks for more replicas than 32 bits hold: that counts as {}{}', metric_label,
                if(ratios > 1, 'up to ', ''),
                if(isinf(ratio), 'infinitely many times', format('{:.0f} times', ratio)),
                if(proposal > 0, 'the greatest number', 'the least number'),
                case
                    when not coalesce(is_followed, false) then ''
                    when coalesce(actual, desired) = desired then format(', and {} became {}', spec_replicas, desired)
                    else format(', and {} were wanted in place of {}', desired, spec_replicas)
                end
            ),
            format(
                '{} was negative{}{}: its source said so, or its value is beyond 64 bits', metric_label,
                if(isinf(ratio), '', format(', {}{:.2g} times its target', if(ratios > 1, 'down to ', ''), ratio)),
                -- Pods without a sample may count as at their target.
                if(proposal > 0, format(', and asks for {} all the same', counted(proposal, 'replica')), ', which asks for no replicas')
            )
        )
    ) filter (nth = 1) as verdict,
    json_object(
        'ratio', any_value(if(isinf(ratio), null, ratio)) filter (nth = 1), 'reconciles', count(distinct reconcile_id)
    ) as evidence,
    if(
        bool_or(overflows),
        'check the value that its source gave, a negative one may overflow too, and its unit: some releases and processors scale to the maximum here, others to the minimum',
        'check the unit and the query of the metric'
    ) as next_step
from told
group by hpa_uid;
