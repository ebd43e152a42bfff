-- Which known patterns does the recording show, and what should be done about them?
-- One row per HPA and pattern.
-- Columns:
--   finding_id: counts them, the worst first
--   pattern: its name, for example `pinned_at_max`
--   first_at: its first reconcile
--   last_at: its last
--   severity: `critical`, `high`, `medium`, `low` or `info`
--   verdict: one line
--   evidence: the numbers behind it
--   next_step: what to do
--   documentation: where this pattern is described
create table runs.findings (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    finding_id bigint,
    pattern varchar,
    first_at timestamp,
    last_at timestamp,
    severity varchar,
    verdict varchar,
    evidence json,
    next_step varchar,
    documentation varchar
);
