-- When did prediction and reality differ, why, and what is the evidence?
-- One row per run: consecutive reconciles of one HPA and one class that do not match.
-- reconcile_id: its first reconcile; closed_at: the first match after it, NULL while it is open.
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
