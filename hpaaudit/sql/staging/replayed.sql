-- What did the replay decide, before the audit?
-- One row per reconcile, as in runs.reconciles without the columns that the audit adds. Texts are numbers, as in
-- runs.encoded_reconciles: places, from 0, in the lists of the variable `texts`. So the audit compares numbers.
create table staged.replayed as
select * exclude (replay_id, lasted_s, decided, decided_source, actual, is_known, verdict, class, divergence_id)
from runs.encoded_reconciles
limit 0;
