-- Which steps led a reconcile to its number, and which of them decided it?
-- One row per step. Kept for reconciles that scaled or did not match; for all with --detail steps, for none with numbers.
-- Columns:
--   reconcile_id: of `reconciles`
--   seq: order of the steps, from 0
--   stage: `gate`, `propose`, `stabilize`, `policy`, `bound` or `write`
--   code: what happened: see *Reasons*
--   before: replicas before it
--   after: replicas after it
--   binding: without this step alone the outcome would be another
--   detail: names and numbers that a sentence about it needs
create table runs.decision_steps (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    seq integer,
    stage varchar,
    code varchar,
    before integer,
    after integer,
    binding boolean,
    detail json
);
