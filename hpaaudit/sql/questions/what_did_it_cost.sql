-- What did it cost: pods that ran, pods that were missing, minutes in which the HPA was blind?
-- One row per HPA, the one with the most pods missing first.
-- Asked: What did it cost?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   pod_minutes: spec.replicas of the target, from each of its changes to the next, times the minutes
--   short_pod_minutes: pods that the metrics asked for and that nobody asked of the target, times the minutes; NULL where they never asked
--   spare_pod_minutes: pods beyond what the metrics asked for and beyond minReplicas, times the minutes; NULL where they never asked
--   unready_pod_minutes: pods that were asked of the target and were not ready, times the minutes
--   blind_minutes: minutes in which no metric was usable
--   foreign_writes: writes of the replicas by others
with held as (
    select
        hpa_uid, any_value(namespace) as namespace, any_value(name) as name,
        -- Where the metrics could not be read nobody knows what they asked for.
        sum(greatest(raw_desired::bigint - coalesce(actual, spec_replicas), 0) * lasted_s)
            filter (raw_desired is not null) / 60 as short,
        sum(greatest(coalesce(actual, spec_replicas)::bigint - greatest(raw_desired, min_replicas), 0) * lasted_s)
            filter (raw_desired is not null) / 60 as spare,
        coalesce(sum(lasted_s) filter (reason_code = 'gate.all_metrics_invalid'), 0) / 60 as blind
    from reconciles
    where namespace || '/' || name like $hpa
        and ts between $since and $until
        and has_inputs(class)
    group by hpa_uid
), ran as (
    select hpa_uid, sum(wanted::bigint * epoch_us(least(until, $until) - greatest(ts, $since))) / 6e7 as minutes
    from effects
    where until > $since and ts < $until
    group by hpa_uid
), unready as (
    select hpa_uid, sum(pod_seconds_missing) / 60 as minutes
    from effects
    where ts between $since and $until
    group by hpa_uid
), wrote as (
    select hpa_uid, count(*) as writes
    from scale_events
    where source = 'actual'
        and writer_class <> 'hpa'
        and at_hi between $since and $until
    group by hpa_uid
)
select
    h.namespace, h.name,
    round(a.minutes, 1) as pod_minutes,
    round(h.short, 1) as short_pod_minutes,
    round(h.spare, 1) as spare_pod_minutes,
    round(u.minutes, 1) as unready_pod_minutes,
    round(h.blind, 1) as blind_minutes,
    coalesce(w.writes, 0) as foreign_writes
from held as h
left join ran as a using (hpa_uid)
left join unready as u using (hpa_uid)
left join wrote as w using (hpa_uid)
order by short_pod_minutes desc nulls last, h.namespace, h.name, h.hpa_uid;
