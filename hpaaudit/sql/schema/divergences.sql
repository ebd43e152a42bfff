-- When did prediction and reality differ, why, and what is the evidence?
-- One row per run: consecutive reconciles of one HPA and one class that do not match.
-- Columns:
--   divergence_id: counts them
--   reconcile_id: its first reconcile
--   class: see *Classes*
--   shape: `phantom` (changed, should not have), `missing` (should have, did not), `size`, `direction`, `report` (only the number that was said differs); NULL where nothing can be said
--   severity: `critical`, `high`, `medium`, `low` or `info`
--   confidence: `proven`, `likely`, `possible` or `undecidable`
--   predicted: what `spec.replicas` should have become after its first reconcile
--   decided: what the controller said then
--   actual: what it became then
--   opened_at: its first reconcile
--   closed_at: the first match after it, NULL while it is open
--   reconciles: how many
--   contributing: what else was true meanwhile
--   explanation: one line; a number that was not the same in all of its reconciles is a range
--   next_step: what to do
create table runs.divergences (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    divergence_id bigint,
    reconcile_id bigint,
    class varchar,
    shape varchar,
    severity varchar,
    confidence varchar,
    predicted integer,
    decided integer,
    actual integer,
    opened_at timestamp,
    closed_at timestamp,
    reconciles bigint,
    contributing varchar[],
    explanation varchar,
    next_step varchar
);
