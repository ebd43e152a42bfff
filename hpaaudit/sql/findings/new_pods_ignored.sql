-- Which HPAs were blind because all of their pods were too new, or not ready?
-- One row per HPA, if that lasted for five minutes.
-- Needs: metric.invalid.no_ready_metrics
with blind as (
    -- Several metrics of one reconcile may lack their pods: its time counts once.
    select
        r.hpa_uid, r.reconcile_id, r.ts, r.until_next_s, max(p.unready_pods + p.missing_pods) as pods,
        begins_stretch(r.ts, lag(r.ts) over one, lag(r.until_next_s) over one) as is_first
    from runs.metric_proposals as p
    join ran as r using (reconcile_id)
    where p.invalid_code = 'metric.invalid.no_ready_metrics' and r.reason_code = 'gate.all_metrics_invalid'
    group by r.hpa_uid, r.reconcile_id, r.ts, r.until_next_s
    window one as (partition by r.hpa_uid order by r.ts, r.reconcile_id)
)
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, cost_severity(0, 0, sum(until_next_s)) as severity,
    format('no pod counted as ready and measured {}', lasting(sum(until_next_s), sum(is_first::integer))) as verdict,
    json_object('blind_s', round(sum(until_next_s), 6), 'pods', max(pods)) as evidence,
    'shorten the start of the pods, and do not restart all of them at once' as next_step
from blind
group by hpa_uid
having sum(until_next_s) >= 300;
