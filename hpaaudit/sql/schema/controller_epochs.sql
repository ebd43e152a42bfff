-- Which controller processes were there?
-- One row per process. Each starts with an empty memory. Number 0 ran when the recording began.
-- Columns:
--   epoch_id: 0 ran when the recording began
--   holder: of the Lease
--   acquired_at: when it took over
--   ended_at: at the latest when its Lease ran out; NULL where it did not
--   renewed_at: the last renewal of its Lease that was seen
--   lease_transitions: of the Lease
--   other_holders: who took its Lease and gave it back, from when (`from_us`) until when (`until_us`); NULL where nobody did
--   evidence: `started` or `declared` (a capture says so), `lease` (its holder changed)
--   release: of Kubernetes, where a capture says so
--   version: exact version, where a capture says so
--   decided_as: the release whose rules decide its reconciles in this replay
--   flags: of its command line
--   gates: its feature gates
create table runs.controller_epochs (
    replay_id varchar,
    epoch_id integer,
    holder varchar,
    acquired_at timestamp,
    ended_at timestamp,
    renewed_at timestamp,
    lease_transitions integer,
    other_holders json,
    evidence varchar,
    release varchar,
    version varchar,
    decided_as varchar,
    flags json,
    gates json
);
