-- Which steps led to its number? Not stored with --detail numbers.
-- One row per step.
from decision_steps where reconcile_id in ($reconcile_ids) order by reconcile_id, seq;
