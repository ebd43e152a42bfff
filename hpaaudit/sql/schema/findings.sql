-- Which known patterns does the recording show, and what helps?
-- One row per pattern of an HPA. pattern: a slug; evidence: the numbers behind the verdict.
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
