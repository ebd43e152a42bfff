-- What did the controller decide, what did the cluster do, and do these agree with the replay?
-- One row per reconcile. decided: the number that the controller published; actual: what the next reconcile read.
-- spec_replicas: what it read itself.
-- decided_source: 1 event (FailedRescale names the number), 2 status (desiredReplicas, and the conditions say that it was
-- computed), 3 conditions (they say that no number was computed; decided is NULL), 0 unknown.
-- told_of_failure, told_of_success: the published status says that the write of the scale failed, or succeeded just then.
-- told_of_none: it says that nothing was written. told_late: it says that it tells of an earlier reconcile.
-- decision_agrees, replicas_agree: true if decided, and actual, agree with the replay; NULL if unknown.
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
    spec_replicas integer,
    next_spec_replicas integer,
    decision_agrees boolean,
    replicas_agree boolean,
    open tinyint,
    told_of_failure boolean,
    told_of_success boolean,
    told_of_none boolean,
    told_late boolean,
    agrees boolean
);
