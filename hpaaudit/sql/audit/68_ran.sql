-- Which reconciles are known to have taken place, with inputs that were recorded?
-- One row per such reconcile. Findings say nothing of the others.
create temp view ran as
select *
from runs.reconciles
where coalesce(class, '') not in ('no_data.recording_gap', 'no_data.object_unseen')
    and coalesce(class, '') not like 'not@_run.%' escape '@';
