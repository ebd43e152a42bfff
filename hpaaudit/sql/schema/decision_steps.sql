-- Which steps led a reconcile to its number, and which of them decided it?
-- One row per step. binding: without this step alone the outcome would differ.
-- Kept for reconciles that scaled or did not match; for all with --detail steps, for none with numbers.
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
