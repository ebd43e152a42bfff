-- When did no process of kube-controller-manager lead, according to its Lease?
-- One row per outage. renewed_at: the last renewal before it; lapsed_at: when the Lease ran out; until: when a process led
-- again, NULL if none did before the recording ended; was_renewed: the recording shows earlier renewals of this Lease.
create table runs.controller_outages (
    replay_id varchar,
    renewed_at timestamp,
    lapsed_at timestamp,
    until timestamp,
    was_renewed boolean
);
