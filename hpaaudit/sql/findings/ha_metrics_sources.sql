-- Which HPAs read values that the recorder did not get from the same API, as from two replicas of its source?
-- One row per HPA: in at least five reconciles.
-- Needs: input.metric_value_skew
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format('the controller read another value than the recorder in {}', counted(count(*), 'reconcile')) as verdict,
    json_object('reconciles', count(*)) as evidence,
    'see whether two replicas of the metrics source answer in turn; record with a shorter --interval' as next_step
from runs.reconciles
where class = 'input.metric_value_skew'
group by hpa_uid
having count(*) >= 5;
