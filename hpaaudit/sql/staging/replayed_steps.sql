-- Which steps may have to be kept?
-- One row per step, as in runs.decision_steps.
create temp table replayed_steps as
from runs.decision_steps
limit 0;
