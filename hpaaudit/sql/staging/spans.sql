-- How long did each reconcile stand, and what came next?
-- One row per reconcile, with what the audit needs of it. nth: counts those of its HPA;
-- until: when the next one of this HPA began, else the end of the HPA or of the recording.
-- open: which part of the band is open: 0 none, 1 which of two samples, pods, scales or instants it saw, 2 anything else.
create temp table spans (
    reconcile_id bigint,
    hpa integer,
    nth integer,
    ts timestamp,
    began_at timestamp,
    until timestamp,
    next_ts timestamp,
    next_spec_replicas integer,
    desired integer,
    status_desired integer,
    able_reason smallint,
    active_reason smallint,
    open tinyint
);
