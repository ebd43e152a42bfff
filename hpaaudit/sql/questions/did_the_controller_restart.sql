-- Which controller processes were there, and did a restart matter?
-- One row per process.
-- Asked: Was the controller well?
-- Columns:
--   epoch_id: its number; 0 ran when the recording began
--   holder: its name in the Lease; empty where unknown
--   acquired_at: when it began to lead
--   ended_at: when it ended; NULL where that is unknown
--   evidence: how it is known: started or declared (a capture says so), or lease
--   release: the release of Kubernetes; empty where unknown
--   idle_s: seconds without a leader before it, by the Lease
--   reconciles: how many reconciles it made
--   divergences: episodes in its first hour that only its empty memory, or its absence, explains
with told as (
    select epoch_id, count(*) as reconciles
    from reconciles
    where not did_not_run(class)
    group by epoch_id
), odd as (
    select opened_at, starts_with(class, 'memory.') as is_memory
    from divergences
    where starts_with(class, 'memory.') or class in ('not_run.controller_restart', 'not_run.controller_down')
), caused as (
    -- A memory is that of the newest process. An absence ends with the next one.
    select arg_max(e.epoch_id, e.acquired_at) as epoch_id
    from odd as o
    join controller_epochs as e
        on e.acquired_at between o.opened_at - interval 1 hour and o.opened_at + interval 1 minute
    where o.is_memory
    group by o.opened_at
    union all
    select arg_min(e.epoch_id, e.acquired_at)
    from odd as o
    join controller_epochs as e on e.acquired_at > o.opened_at
    where not o.is_memory
    group by o.opened_at
), counted as (
    select e.epoch_id, count(c.epoch_id) as divergences
    from controller_epochs as e
    left join caused as c using (epoch_id)
    group by e.epoch_id
)
select
    e.epoch_id, e.holder, e.acquired_at, e.ended_at, e.evidence, e.release,
    round(epoch_us(e.acquired_at - o.lapsed_at) / 1e6, 1) as idle_s,
    coalesce(t.reconciles, 0) as reconciles,
    c.divergences
from controller_epochs as e
join counted as c using (epoch_id)
left join told as t using (epoch_id)
left join controller_outages as o on o.until = e.acquired_at
order by e.acquired_at, e.epoch_id;
