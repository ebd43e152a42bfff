-- How long did it take from an increase of the replicas to that many ready pods?
-- One row per HPA and increase, the slowest first.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: when the replicas were raised
--   from_replicas: from
--   wanted: to
--   made_at: when the target had made so many pods; NULL if it never did before the next change
--   ready_at: when so many pods were ready; NULL if they never were before the next change, or if it is unknown
--   seconds_to_ready: from the increase to ready_at, in seconds
--   class: what became of the number
select
    namespace, name, ts, from_replicas, wanted, made_at, ready_at,
    round((epoch_us(ready_at) - epoch_us(ts)) / 1e6, 1) as seconds_to_ready,
    class
from effects
where wanted > from_replicas
    and namespace || '/' || name like $hpa
    and ts between $since and $until
order by seconds_to_ready desc nulls first, namespace, name, ts, hpa_uid, scale_event_id;
