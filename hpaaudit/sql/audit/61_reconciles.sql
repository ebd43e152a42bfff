-- What did replay and audit find for some HPAs?
-- One row per reconcile, as in runs.reconciles, with numbers for texts.
insert into runs.encoded_reconciles by name
with judged as (
    select
        r.* replace (
            -- What was read at that time does not follow from a status that tells of an earlier one.
            if(
                (c.told_late or coalesce(v.is_otherwise_told, false)) and getvariable('texts').evidence[r.evidence + 1] = 'proven',
                list_position(getvariable('texts').evidence, 'assumed') - 1,
                r.evidence
            )::integer as evidence
        ),
        list_position(getvariable('texts').replay_id, h.replay_id) - 1 as replay_id, c.hpa, c.nth,
        c.lasted_s, c.actual,
        -- What did not take place decided nothing, whatever status stood.
        if(starts_with(v.class, 'not_run.'), null, c.decided) as decided,
        if(starts_with(v.class, 'not_run.'), 0, c.decided_source)::tinyint as decided_source,
        -- A hold shows itself in what the next reconcile read.
        c.decided_source <> 0
        or if(
            getvariable('texts').action[r.action + 1] = 'hold', c.next_spec_replicas is not null, c.actual is not null
        ) as is_known,
        coalesce(v.verdict, 'match') as verdict,
        v.class, e.divergence_id
    from staged.replayed as r
    join replayed_hpas as h on h.place = r.object
    join (from compared where hpa between $first and $last) as c on c.reconcile_id = r.reconcile_id
    left join (from verdicts where hpa between $first and $last) as v on v.reconcile_id = r.reconcile_id
    left join (from episodes where hpa between $first and $last) as e on e.reconcile_id = r.reconcile_id
    where h.hpa between $first and $last
    order by c.hpa, c.nth
)
select
    * exclude (hpa, nth) replace (['event', 'status', 'conditions'][decided_source] as decided_source)
from judged;
