-- What did Kubernetes report that is not what happened?
-- One row per Event or published status that is missing, blank, stale or wrong.
-- Columns:
--   ts: when it was posted, or should have been
--   class: what is wrong with it: see *Reports*
--   scale_event_id: the change that it is about, of `scale_events`; NULL where it is about none
--   reported: what Kubernetes said; NULL where it said nothing
--   happened: what happened
create table runs.reports (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    ts timestamp,
    class varchar,
    scale_event_id bigint,
    reported varchar,
    happened varchar
);
