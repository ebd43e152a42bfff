-- Which replay do the relations in schema main show?
-- One row: the last audit of this file, or of a file without an audit the last what-if replay.
-- Columns:
create view main.current_replay as
select replay_id
from runs.replays
order by mode = 'what_if', ran_at desc
limit 1;
