-- Which recorder observed the cluster, and how did it verify the server?
-- One row per start of a recorder, as in runs.recorders.
insert into runs.recorders by name
with found (seq, at_us, version, server, trust, auth) as (
    {recorders}
)
select
    (select replay_id from runs.replays) as replay_id,
    make_timestamp(at_us) as started_at,
    version, server, trust, auth
from found
order by seq;
