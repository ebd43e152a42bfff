-- Which HPAs waited because the controller's cache was behind?
-- One row per HPA, if that lasted for a minute. Only releases from 1.37 on wait.
-- Needs: gate.stale_cache
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(0, 0, sum(until_next_s)) as severity,
    format('the controller''s cache was behind for {} s', round(sum(until_next_s))::bigint) as verdict,
    json_object('reconciles', count(*), 'blind_s', round(sum(until_next_s), 6)) as evidence,
    'look at the API server and its watches at this time' as next_step
from ran
where reason_code = 'gate.stale_cache'
group by hpa_uid
having sum(until_next_s) >= 60;
