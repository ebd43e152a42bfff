-- Which reconciles does a gap concern?
-- One row per such reconcile. hides_status: the gap hides the HPA itself.
-- is_interrupted: a gap of a stream that was recorded before or after; false: only of inputs that were never recorded.
create temp table reconciles_in_gaps (
    reconcile_id bigint,
    hides_status boolean,
    is_interrupted boolean,
    cause varchar
);
