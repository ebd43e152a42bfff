-- What did the recorder refuse, because it is not shaped as the Kubernetes API defines it?
-- One row per object, answer or value that was refused, at most one per minute for the same one.
-- Columns:
--   observed_at: when it was observed
--   path: of its collection, or as it was requested
--   namespace: of the object, empty if it has none
--   name: of the object, empty if it has none
--   reason: what is wrong, and where in it
--   object: JSON: what is read of a sound one; a value of another type than it should have only as that type, `"<string>"`
--   bytes: of the whole object as it came, 0 where unknown
--   times: how often it was refused since its last row, this time included
create table runs.refused (
    replay_id varchar,
    observed_at timestamp,
    path varchar,
    namespace varchar,
    name varchar,
    reason varchar,
    object varchar,
    bytes bigint,
    times bigint
);
