-- Through which steps did a reconcile come to its number, and which of them made it?
-- One row per step. binding: without this step alone the outcome would be another.
-- Kept where the reconcile scaled or did not match; of all with --detail steps, of none with numbers.
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
