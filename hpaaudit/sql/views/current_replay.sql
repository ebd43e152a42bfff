-- Which replay do the relations in schema main show?
-- One row: the last audit of this file. A what-if replay is never the current one.
create view main.current_replay as
select replay_id
from runs.replays
where mode <> 'what_if'
order by ran_at desc
limit 1;
