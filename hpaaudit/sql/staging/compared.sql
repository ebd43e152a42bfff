-- What did the controller decide, what became of it, and does that agree with the replay?
-- One row per reconcile. decided: the controller's own number; actual: what the next reconcile read.
-- decided_source: 1 event (FailedRescale names it), 2 status (its desiredReplicas stands, and the conditions say that it
-- was computed), 3 conditions (they say that none was computed; decided is NULL), 0 nothing tells.
-- said_so, done_so: whether word and deed agree with the replay, NULL where nothing tells.
create temp table compared (
    reconcile_id bigint,
    hpa integer,
    nth integer,
    ts timestamp,
    lasted_s double,
    desired integer,
    decided_source tinyint,
    decided integer,
    actual integer,
    said_so boolean,
    done_so boolean,
    open tinyint,
    told_of_failure boolean,
    agrees boolean
);
