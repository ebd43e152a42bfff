-- Which reconciles does a gap concern?
-- One row per such reconcile. hides_status: the gap hides the HPA itself. hides_reconcile: so long, and from
-- before it on, that nobody knows whether it took place. listed_after: the end of a long gap after which the HPAs were
-- listed again just then. hides_target: a long gap hides what the HPA scales;
-- hides_pods, hides_metrics: the gap hides pods, or answers of the metrics APIs.
-- lacks_pods: as it began, or never at all, it was not seen which pods there were.
-- is_long: the gap is longer than two sync periods, so that the replay may be wrong about what the controller remembers.
-- is_interrupted: a gap of a stream that was recorded before or after; false: only of inputs that were never recorded.
-- is_unrecorded: an input was never recorded.
create temp table reconciles_in_gaps (
    reconcile_id bigint,
    hides_status boolean,
    hides_reconcile boolean,
    listed_after timestamp,
    hides_target boolean,
    hides_pods boolean,
    hides_metrics boolean,
    lacks_pods boolean,
    is_long boolean,
    is_interrupted boolean,
    is_unrecorded boolean,
    cause varchar
);
