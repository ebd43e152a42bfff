-- What is allowed of the replicas that metrics asked for?
-- The number between minReplicas and maxReplicas; NULL where none was asked for, which `least` would pass over.
create macro main.within_bounds(replicas, min_replicas, max_replicas) as
    if(replicas is null, null, greatest(least(replicas, max_replicas), min_replicas));
