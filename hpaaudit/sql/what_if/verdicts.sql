-- Which reconciles differ because other settings were asked for, and what says the audit of the rest?
-- Sets their class in `verdicts`. is_made: with the settings of the audit replay and controller agree, so that the setting
-- makes the difference; place: of the setting in `asked_settings`, -1 for all of them together. Where they differ with both, the audit says why. What lacks an input stays undecidable.
create temp table asked_verdicts as
with beside as (
    select
        v.reconcile_id, v.hpa, v.ts, v.class as own_class, v.verdict as own_verdict, v.missing_input as own_missing, v.renewed_at,
        m.class as audited_class, m.verdict as audited_verdict, m.missing_input as audited_missing,
        m.reconcile_id is null or m.is_alike and not changed_afterwards(v.class) as is_made
    from verdicts as v
    join replayed_hpas as h using (hpa)
    left join audited_mismatches as m
        on m.hpa_uid = h.hpa_uid
        and m.ts = v.ts
        -- With another sync period the audit counts other reconciles.
        and (m.reconcile_id = v.reconcile_id or getvariable('moves_times'))
    where v.class not like 'no_data.%'
    qualify row_number() over (partition by v.reconcile_id order by m.reconcile_id) = 1
), places as (
    -- Of several settings the first that makes the difference alone: without it replay and controller agree.
    select b.reconcile_id, min(s.place) as place
    from beside as b
    join replayed_hpas as h using (hpa)
    join asked_settings as s on s.place >= 0
    left join left_by as l
        on l.place = s.place
        and l.hpa_uid = h.hpa_uid
        and l.ts = b.ts
        and (l.reconcile_id = b.reconcile_id or getvariable('moves_times'))
        and (not l.is_alike or changed_afterwards(b.own_class))
    where b.is_made and l.reconcile_id is null
    group by b.reconcile_id
), judged as (
    select
        b.*, s.place,
        case
            when is_made then setting_class(s.key)
            when changed_afterwards(own_class) or audited_class = 'unexplained' then own_class
            -- When its Lease was last renewed is known of a reconcile that did not take place in this replay either.
            when audited_class = 'not_run.controller_down' and renewed_at is null then 'no_data.object_unseen'
            else audited_class
        end as class
    from beside as b
    left join places as p using (reconcile_id)
    left join asked_settings as s on s.place = coalesce(p.place, -1) and b.is_made
)
select
    reconcile_id, is_made, place, class,
    case
        when is_made then 'divergent'
        when class = own_class then own_verdict
        when class like 'no_data.%' then 'undecidable'
        else audited_verdict
    end as verdict,
    if(not is_made and class = audited_class, audited_missing, own_missing) as missing_input
from judged;

update verdicts as v
set class = a.class, verdict = a.verdict, missing_input = a.missing_input
from asked_verdicts as a
where v.reconcile_id = a.reconcile_id;
