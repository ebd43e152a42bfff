-- Which steps led to its number? Kept of a reconcile that scaled or did not match; of all with
-- --detail steps, of none with --detail numbers.
-- One row per step.
from decision_steps where reconcile_id in ($reconcile_ids) order by reconcile_id, seq;
