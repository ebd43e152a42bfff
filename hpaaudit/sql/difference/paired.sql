-- Which reconciles of two replays of one recording are the same, and do both want the same number?
-- One row per reconcile that both have. own is the audit, other the replay as another release. differs: they want different
-- numbers. is_unknown: one of the two numbers is not certain.
create temp table paired as
select
    a.hpa_uid, a.namespace, a.name, a.ts, a.spec_replicas,
    a.reconcile_id as own_id,
    b.reconcile_id as other_id,
    a as own,
    b as other,
    row_number() over (partition by a.hpa_uid order by a.reconcile_id) as position,
    a.is_unknown or b.is_unknown or a.wanted is null or b.wanted is null as is_unknown,
    not (a.is_unknown or b.is_unknown) and a.wanted <> b.wanted as differs
from own as a
join other as b
    on a.hpa_uid = b.hpa_uid
    and a.ts = b.ts
    and a.nth = b.nth;
