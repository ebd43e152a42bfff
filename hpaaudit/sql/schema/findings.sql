-- Which known patterns does the recording show, and what should be done about them?
-- One row per HPA and pattern. pattern: its name; evidence: the numbers behind the verdict.
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
    next_step varchar
);
