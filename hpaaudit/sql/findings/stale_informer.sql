-- Which HPAs waited because the controller's cache was behind?
-- One row per HPA, if that lasted for a minute. Only releases from 1.37 on wait.
-- Needs: gate.stale_cache
with behind as (
    select hpa_uid, ts, until_next_s, begins_stretch(ts, lag(ts) over one, lag(until_next_s) over one) as is_first
    from ran
    where reason_code = 'gate.stale_cache'
    window one as (partition by hpa_uid order by ts)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(0, 0, sum(until_next_s)) as severity,
    format('the controller''s cache was behind {}', lasting(sum(until_next_s), sum(is_first::integer))) as verdict,
    json_object('reconciles', count(*), 'blind_s', round(sum(until_next_s), 6)) as evidence,
    'look at the API server and its watches at this time' as next_step
from behind
group by hpa_uid
having sum(until_next_s) >= 60;
