-- Which HPA should be read first?
-- One row per HPA of the current replay, the one that matters most first: something happened to it, it agrees least, its
-- findings are the gravest.
with happened as (
    select hpa_uid from scale_event_matches
    union
    select hpa_uid from divergences
), gravest as (
    select hpa_uid, min(list_position(['critical', 'high', 'medium'], severity)) as rank
    from findings
    group by hpa_uid
)
select a.hpa_uid, a.namespace || '/' || a.name as hpa
from agreement as a
left join gravest as g using (hpa_uid)
order by
    a.hpa_uid in (from happened) desc,
    a.match_pct nulls last, a.divergent desc, g.rank nulls last, a.namespace, a.name, a.hpa_uid;
