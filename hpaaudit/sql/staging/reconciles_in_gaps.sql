-- Which reconciles does a gap concern?
-- One row per such reconcile. hides_status: the gap hides the HPA itself.
create temp table reconciles_in_gaps (
    reconcile_id bigint,
    hides_status boolean,
    cause varchar
);
