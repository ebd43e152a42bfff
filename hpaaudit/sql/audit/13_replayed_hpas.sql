-- Which HPAs were replayed, and when did each end?
-- One row per HPA. hpa: its number in the order of the uids; place: its number in staged.replayed;
-- part: the HPAs of one part are audited together, so that no join or sort holds more than 250,000 reconciles;
-- ended_at: when the HPA or the recording ended.
create temp table replayed_hpas as
with named as (
    select
        object as place, count(*) as reconciles,
        getvariable('texts').hpa_uid[object + 1] as hpa_uid,
        getvariable('texts').namespace[object + 1] as namespace,
        getvariable('texts').name[object + 1] as name
    from staged.replayed
    group by object
)
select
    (row_number() over (order by n.hpa_uid))::integer as hpa,
    n.place, i.replay_id, n.hpa_uid, n.namespace, n.name,
    (sum(n.reconciles) over (order by n.hpa_uid) - 1) // 250000 as part,
    least(h.deleted_at, i.ended_at) as ended_at
from named as n
cross join runs.recordings as i
left join runs.hpas as h using (hpa_uid);
