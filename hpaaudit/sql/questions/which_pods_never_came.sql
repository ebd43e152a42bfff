-- Where did pods that were asked for not appear or not become ready, and why?
-- One row per HPA and number of replicas for which pods were missing, the most costly first.
-- Asked: Why not more?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   ts: since when this number was asked for
--   until: until when
--   wanted: the replicas that were asked for
--   made: the most pods that the target had meanwhile
--   ready: the most pods that were ready meanwhile; NULL if that is unknown
--   class: what became of the number
--   pod_seconds_missing: pods that were not ready, times the seconds; where that is unknown, pods that were not made
--   cause: the words of an Event, where one tells it
select namespace, name, ts, until, wanted, made, ready, class, round(pod_seconds_missing) as pod_seconds_missing, cause
from effects
where class not in ('effect.none', 'effect.unknown')
    and namespace || '/' || name like $hpa
    and ts <= $until
    and until >= $since
order by pod_seconds_missing desc nulls last, namespace, name, ts, hpa_uid, scale_event_id;
