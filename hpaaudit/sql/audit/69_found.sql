-- Which known patterns were found?
-- One row per HPA and pattern; the queries of `sql/findings/` fill it.
create temp table found (
    pattern varchar,
    hpa_uid varchar,
    first_at timestamp,
    last_at timestamp,
    severity varchar,
    verdict varchar,
    evidence json,
    next_step varchar
);
