-- During which reconciles did the recorder not look?
-- One row per reconcile that a gap touches, from one sync period before it began until the next. Events and leases are
-- no input of a decision: their gaps do not count here.
-- hides_status: the gap hides the HPA itself.
create temp table blind as
select
    s.reconcile_id,
    bool_or(g.stream in ('everything', 'hpas') and g.gap_to >= s.began_at) as hides_status,
    any_value(g.cause order by g.gap_from) as cause
from spans as s
join runs.coverage_gaps as g
    on g.gap_from < s.until
    and g.gap_to > s.began_at - s.sync
    and gap_hides(g.prefix, s.namespace)
    and g.stream not in ('events', 'leases')
group by s.reconcile_id;
