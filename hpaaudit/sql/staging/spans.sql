-- Until when did each reconcile's decision hold, and what came next?
-- One row per reconcile, with the columns that the audit needs. nth: its number among those of its HPA;
-- until: when the next one of this HPA began, else the end of the HPA or of the recording.
-- expected: the replicas of the target after it. next_is_silent: the next one was inferred, and wrote no status although its
-- inputs would have changed it.
-- is_refused: its write of the scale was seen to fail.
-- able, active: numbers of the conditions, as in staged.replayed. is_target_left: the next one read another target, or the same one made again.
-- open: why the band has several numbers: 0 it has one, 1 it is unknown which of two samples, pods, scales or instants
-- the reconcile read, 2 anything else.
create temp table spans (
    reconcile_id bigint,
    hpa integer,
    nth integer,
    ts timestamp,
    began_at timestamp,
    until timestamp,
    next_ts timestamp,
    spec_replicas integer,
    next_spec_replicas integer,
    next_is_silent boolean,
    desired integer,
    expected integer,
    status_desired integer,
    able integer,
    active integer,
    open tinyint,
    is_target_left boolean,
    is_refused boolean
);
