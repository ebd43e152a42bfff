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
    group by epoch_id
), odd as (
    select opened_at
    from divergences
    where starts_with(class, 'memory.') or class in ('not_run.controller_restart', 'not_run.controller_down')
), counted as (
    select e.epoch_id, count(o.opened_at) as divergences
    from controller_epochs as e
    left join odd as o on o.opened_at between e.acquired_at - interval 1 minute and e.acquired_at + interval 1 hour
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
