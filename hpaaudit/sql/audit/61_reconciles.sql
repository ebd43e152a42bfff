-- What did replay and audit find for some HPAs?
-- One row per reconcile, as in runs.reconciles.
insert into runs.reconciles by name
with judged as (
    select
        r.*, h.replay_id, c.hpa, c.nth,
        c.lasted_s, c.decided, c.decided_source, c.actual,
        -- A hold shows itself in what the next reconcile read.
        c.decided_source <> 0
        or if(
            getvariable('texts').action[r.action + 1] = 'hold', c.next_spec_replicas is not null, c.actual is not null
        ) as is_known,
        coalesce(v.verdict, 'match') as verdict,
        v.class, e.divergence_id
    from staged.replayed as r
    join replayed_hpas as h on h.place = r.hpa_uid
    join (from compared where hpa between $first and $last) as c on c.reconcile_id = r.reconcile_id
    left join (from verdicts where hpa between $first and $last) as v on v.reconcile_id = r.reconcile_id
    left join (from episodes where hpa between $first and $last) as e on e.reconcile_id = r.reconcile_id
    where h.hpa between $first and $last
    order by c.hpa, c.nth
)
select
    * exclude (hpa, nth)
    replace (
        getvariable('texts').hpa_uid[hpa_uid + 1] as hpa_uid,
        getvariable('texts').namespace[namespace + 1] as namespace,
        getvariable('texts').name[name + 1] as name,
        getvariable('texts').at_source[at_source + 1] as at_source,
        getvariable('texts').action[action + 1] as action,
        getvariable('texts').reason_code[reason_code + 1] as reason_code,
        getvariable('texts').scale_reason[scale_reason + 1] as scale_reason,
        getvariable('texts').error[error + 1] as error,
        getvariable('texts').able_status[able_status + 1] as able_status,
        getvariable('texts').able_reason[able_reason + 1] as able_reason,
        getvariable('texts').active_status[active_status + 1] as active_status,
        getvariable('texts').active_reason[active_reason + 1] as active_reason,
        getvariable('texts').limited_status[limited_status + 1] as limited_status,
        getvariable('texts').limited_reason[limited_reason + 1] as limited_reason,
        getvariable('texts').evidence[evidence + 1] as evidence,
        getvariable('texts').missing_input[missing_input + 1] as missing_input,
        ['event', 'status', 'conditions'][decided_source] as decided_source
    )
from judged;
