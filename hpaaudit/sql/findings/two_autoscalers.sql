-- Which HPAs share their target with another HPA?
-- One row per HPA.
-- Needs: hpas.shared
select
    a.hpa_uid, greatest(a.seen_at, min(b.seen_at)) as first_at,
    coalesce(least(a.deleted_at, max(b.deleted_at)), (select max(ended_at) from runs.recordings)) as last_at,
    'high' as severity,
    format('{} is scaled by {} too', a.target_name, string_agg(b.name, ', ' order by b.name)) as verdict,
    json_object('others', list(b.name order by b.name)) as evidence,
    'merge the metrics into one HPA' as next_step
from runs.hpas as a
join runs.hpas as b
    on b.namespace = a.namespace
    and b.target_kind = a.target_kind
    and b.target_name = a.target_name
    -- One that was made anew is no other one.
    and b.name <> a.name
    and b.seen_at < coalesce(a.deleted_at, 'infinity')
    and a.seen_at < coalesce(b.deleted_at, 'infinity')
group by a.hpa_uid, a.seen_at, a.deleted_at, a.target_name;
