-- Which divergences does the setting make that was asked for, and what has the audit in its place?
-- One row per HPA and setting with such divergences, as in runs.sensitivity. Where it takes several, the first three are named.
insert into runs.sensitivity by name
with made as (
    select r.replay_id, r.hpa_uid, r.namespace, r.name, a.place, count(*) as differing,
        list(distinct r.divergence_id order by r.divergence_id) as divergence_ids
    from runs.reconciles as r
    join asked_verdicts as a using (reconcile_id)
    where a.is_made
    group by all
), broken as (
    select r.hpa_uid, count(*) as broken
    from runs.reconciles as r
    join audited_mismatches as m
        on m.hpa_uid = r.hpa_uid
        and m.ts = r.ts
        and (m.reconcile_id = r.reconcile_id or getvariable('moves_times'))
    where r.verdict = 'match'
    group by r.hpa_uid
)
select
    m.* exclude (place), m.differing as explained, coalesce(b.broken, 0) as broken, false as is_recorded,
    true as is_what_if, s.* exclude (place, words, audited_words)
from made as m
join asked_settings as s using (place)
left join broken as b using (hpa_uid);
