-- During which reconciles did the recorder not look?
-- One row per reconcile that a gap touches. hides_status: the gap hides the HPA itself.
create temp table blind (
    reconcile_id bigint,
    hides_status boolean,
    cause varchar
);
