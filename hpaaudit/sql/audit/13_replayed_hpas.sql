-- Which HPAs were replayed, and until when can each be followed?
-- One row per HPA. hpa: counts them in the order of their uids; place: of the uid in replayed;
-- part: which HPAs are audited together, so that no join and no sort has to hold more than a quarter of a million reconciles;
-- ended_at: when the HPA or the recording ended.
create temp table replayed_hpas as
with places as (
    select hpa_uid as place, any_value(namespace) as namespace, any_value(name) as name, count(*) as reconciles
    from staged.replayed
    group by hpa_uid
), named as (
    select
        place, reconciles,
        getvariable('texts').hpa_uid[place + 1] as hpa_uid,
        getvariable('texts').namespace[namespace + 1] as namespace,
        getvariable('texts').name[name + 1] as name
    from places
)
select
    (row_number() over (order by n.hpa_uid))::integer as hpa,
    n.place, i.replay_id, n.hpa_uid, n.namespace, n.name,
    (sum(n.reconciles) over (order by n.hpa_uid) - 1) // 250000 as part,
    least(h.deleted_at, i.ended_at) as ended_at
from named as n
cross join runs.recordings as i
left join runs.hpas as h using (hpa_uid);
