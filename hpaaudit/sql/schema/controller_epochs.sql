-- Which controller processes were there?
-- One row per process. Each starts with an empty memory. Number 0 ran when the recording began.
-- renewed_at: the last renewal of its Lease that was seen.
-- evidence: started or declared (a capture says so), or lease (its holder changed).
create table runs.controller_epochs (
    replay_id varchar,
    epoch_id integer,
    holder varchar,
    acquired_at timestamp,
    ended_at timestamp,
    renewed_at timestamp,
    lease_transitions integer,
    evidence varchar,
    release varchar,
    version varchar,
    flags json,
    gates json
);
