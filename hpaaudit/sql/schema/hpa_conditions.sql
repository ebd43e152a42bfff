-- Which conditions did the controller publish, with their exact messages?
-- One row per condition of a published status.
-- Columns:
--   observed_at: when the status was seen
--   type: of the condition
--   status: `True`, `False` or `Unknown`
--   reason: of the condition
--   message: word for word
--   last_transition_time: of the condition
create table runs.hpa_conditions (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    observed_at timestamp,
    type varchar,
    status varchar,
    reason varchar,
    message varchar,
    last_transition_time timestamp
);
