-- Which HPAs changed the replicas without an Event?
-- One row per HPA.
-- Needs: report.event_lost
select
    hpa_uid, min(ts) as first_at, max(ts) as last_at, 'low' as severity,
    format('{} of the HPA left no Event', counted(count(*), 'change')) as verdict,
    json_object('changes', count(*)) as evidence,
    'never take a missing Event as proof: the controller''s client drops those of an object that has many' as next_step
from runs.reports
where class = 'report.event_lost'
group by hpa_uid;
