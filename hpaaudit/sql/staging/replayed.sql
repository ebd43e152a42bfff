-- What did the replay decide, before the audit?
-- One row per reconcile, as in runs.reconciles without the columns that the audit adds. Texts are dictionary-encoded: a
-- number, from 0, into the lists of the variable `texts`. That saves space, and the audit compares numbers.
create table staged.replayed as
select
    * exclude (replay_id, lasted_s, decided, decided_source, actual, is_known, verdict, class, divergence_id)
    replace (
        null::integer as hpa_uid,
        null::integer as namespace,
        null::integer as name,
        null::tinyint as at_source,
        null::tinyint as action,
        null::smallint as reason_code,
        null::integer as scale_reason,
        null::integer as error,
        null::tinyint as able_status,
        null::smallint as able_reason,
        null::tinyint as active_status,
        null::smallint as active_reason,
        null::tinyint as limited_status,
        null::smallint as limited_reason,
        null::tinyint as evidence,
        null::integer as missing_input
    )
from runs.reconciles
limit 0;
