-- How many pods are there beyond those that are needed?
-- 0 if none is. Of replicas that were asked for only as many as there were pods, where that is known: pods that a quota kept
-- away cost nothing.
create macro main.spare_pods(replicas, needed, there) as
    greatest(least(replicas::bigint, coalesce(there, replicas)) - needed, 0);
