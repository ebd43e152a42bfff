-- Which HPAs were blind because their metrics API did not answer?
-- One row per HPA. Each stretch lasts until a reconcile that could read a metric, or of which nothing is known.
-- Needs: metric.invalid.api_unavailable
with failures as (
    select
        r.reconcile_id, r.hpa_uid, r.ts, r.until_next_s,
        any_value(coalesce(p.invalid_text, p.invalid_code) order by p.metric_idx) as error
    from ran as r
    -- Without any ready pod no metric is usable either, but then the API did answer.
    join runs.metric_proposals as p
        on p.reconcile_id = r.reconcile_id
        -- An answer that forbids, or that knows no such API, is a pattern of its own.
        and p.invalid_code = 'metric.invalid.api_unavailable'
    -- Of what was not recorded nothing is known.
    where r.reason_code = 'gate.all_metrics_invalid' and r.verdict <> 'undecidable'
    group by r.reconcile_id, r.hpa_uid, r.ts, r.until_next_s
), met as (
    select hpa_uid, reconcile_id, ts, until_next_s, error, true as is_blind
    from failures
    union all
    -- Outside of the bounds no metric is consulted: that ends no outage.
    select hpa_uid, reconcile_id, ts, until_next_s, null, false
    from ran
    where hpa_uid in (select hpa_uid from failures)
        and reason_code in ('gate.above_max', 'gate.below_min')
        and verdict <> 'undecidable'
), begun as (
    select *, begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from met
    window one as (partition by hpa_uid order by ts, reconcile_id)
), numbered as (
    select *, sum(is_first::integer) over (partition by hpa_uid order by ts, reconcile_id) as stretch
    from begun
), stretches as (
    select
        hpa_uid, stretch,
        min(ts) filter (is_blind) as first_at, max(ts) filter (is_blind) as last_at, count(*) filter (is_blind) as reconciles,
        sum(until_next_s) filter (is_blind) as seconds,
        any_value(error order by ts) filter (is_blind) as error,
        -- A bound was kept while the API failed.
        coalesce(max(ts) filter (not is_blind) > min(ts) filter (is_blind), false) as has_bounds
    from numbered
    group by hpa_uid, stretch
    having bool_or(is_blind)
), by_hpa as (
    select
        hpa_uid, min(first_at) as first_at, max(last_at) as last_at, sum(reconciles)::bigint as reconciles, count(*) as stretches,
        round(sum(seconds), 6) as seconds, any_value(error order by first_at) as error, bool_or(has_bounds) as has_bounds
    from stretches
    group by hpa_uid
)
select
    hpa_uid, first_at, last_at,
    case when seconds >= 120 then 'high' else 'medium' end as severity,
    format(
        'the metrics API failed in {}{}, so that no metric was usable and {}', counted(reconciles, 'reconcile'),
        if(stretches > 1, format(', in {} stretches of {} s together', stretches, round(seconds)::bigint), ''),
        case
            -- The API answered between two stretches: then the load may have moved them, too.
            when stretches > 1 then 'none of these could scale'
            when has_bounds then 'the HPA only kept its bounds'
            else 'nothing could scale'
        end
    ) as verdict,
    json_object('reconciles', reconciles, 'seconds', seconds, 'stretches', stretches, 'error', error) as evidence,
    'look at the metrics API at this time: its APIService, its pods, its certificate' as next_step
from by_hpa;
