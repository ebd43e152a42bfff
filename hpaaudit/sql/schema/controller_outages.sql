-- When did no process of kube-controller-manager lead, according to its Lease?
-- One row per outage.
-- Columns:
--   renewed_at: the last renewal before it
--   lapsed_at: when the Lease ran out: so much later as `--flag leader-elect-lease-duration` says, or the Lease itself, or that recorded flag, else 15 s; at once if its holder gave it up
--   until: when a process led again; NULL if none did before the recording ended
--   was_renewed: the recording shows renewals before; otherwise it may be a Lease that nobody uses
create table runs.controller_outages (
    replay_id varchar,
    renewed_at timestamp,
    lapsed_at timestamp,
    until timestamp,
    was_renewed boolean
);
