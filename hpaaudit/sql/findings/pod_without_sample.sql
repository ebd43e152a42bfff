-- Which HPAs were held by pods without a sample, in either direction?
-- One row per HPA, if that lasted for two minutes.
-- Needs: adjust.direction_flip_hold adjust.damped_into_tolerance adjust.count_flip_hold metric.invalid.container_missing
with held as (
    select r.hpa_uid, r.ts, r.until_next_s, r.lasted_s, p.metric_label, p.missing_pods, p.ratio
    from ran as r
    join runs.metric_proposals as p on p.reconcile_id = r.reconcile_id and p.is_winner
    left join main.remembered_replicas as m on m.reconcile_id = r.reconcile_id
    where r.reason_code in ('adjust.direction_flip_hold', 'adjust.damped_into_tolerance', 'adjust.count_flip_hold')
        and p.missing_pods > 0
        -- Unready pods alone are a pattern of their own.
        and (p.ratio < 1 or p.unready_pods = 0)
        -- Within the tolerance of the others nothing would have moved either, nor where something else holds that number.
        and if(
            p.ratio < 1,
            r.unheld < r.desired and m.is_whole and coalesce(m.replicas < r.desired, true),
            r.unheld > r.desired
        )
    union all
    -- Several metrics of one reconcile may lack their container: its time counts once.
    select
        r.hpa_uid, r.ts, r.until_next_s,
        -- Where no other metric was usable, nothing could be decided until the next reconcile, whoever wrote meanwhile.
        if(r.reason_code = 'gate.all_metrics_invalid', r.until_next_s, r.lasted_s),
        arg_min(p.metric_label, p.metric_idx), 1, null
    from ran as r
    join runs.metric_proposals as p using (reconcile_id)
    where p.invalid_code = 'metric.invalid.container_missing'
    group by r.hpa_uid, r.reconcile_id, r.ts, r.reason_code, r.until_next_s, r.lasted_s
), begun as (
    select *, begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from held
    window one as (partition by hpa_uid order by ts)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at,
    cost_severity(0, sum(missing_pods * lasted_s) filter (ratio < 1), sum(lasted_s) filter (ratio is null)) as severity,
    format(
        'up to {} without a sample of {} changed the decision {}', counted(max(missing_pods), 'pod'),
        enumerated(list(distinct metric_label order by metric_label)), lasting(sum(lasted_s), sum(is_first::integer))
    ) as verdict,
    json_object(
        'seconds', round(sum(lasted_s), 6), 'pods', max(missing_pods), 'metric', mode(metric_label order by metric_label)
    ) as evidence,
    'find out why these pods have no sample: they crash, wait for a node, or the source of the metric lost them' as next_step
from begun
group by hpa_uid
having sum(lasted_s) >= 120;
