-- What did it cost: pods that ran, pods that were missing, minutes in which the HPA was blind?
-- One row per HPA, the one with the most pods missing first.
-- Asked: What did it cost?
-- Columns:
--   namespace: the HPA's namespace
--   name: the HPA's name
--   pod_minutes: spec.replicas of the target, from each of its changes to the next or until it was gone, times the minutes
--   short_pod_minutes: pods that the metrics asked for, beyond maxReplicas too, and that nobody asked of the target, times the minutes; NULL where they never asked
--   spare_pod_minutes: pods beyond what the metrics asked for and beyond minReplicas, times the minutes; NULL where they never asked
--   unready_pod_minutes: pods that were asked of the target within this time and had not been ready yet, times the minutes until they were, or until the next change; NULL where that is not known
--   blind_minutes: minutes in which nothing could be decided: no metric was usable (until 1.14 one was not), or the scale or its selector, or the controller did not run; NULL where no inputs were recorded
--   foreign_writes: writes of the replicas by others
with asked as (
    -- Two parts of the time until the next reconcile: before somebody else wrote, and from then on.
    select *, greatest(least(stood_s, to_s) - from_s, 0) as before_s, greatest(to_s - greatest(from_s, stood_s), 0) as after_s
    from (
        select
            -- What no controller decided, nobody asked of the target.
            r.* replace (if(did_not_run(r.class), r.spec_replicas, r.desired) as desired),
            did_not_run(r.class) as is_missed,
            coalesce(w.stood_s, 0) as stood_s,
            greatest(epoch_us($since) - epoch_us(r.ts), 0) / 1e6 as from_s,
            least(r.lasted_s, (epoch_us($until) - epoch_us(r.ts)) / 1e6) as to_s
        from reconciles as r
        left join interruptions as w using (reconcile_id)
        where r.namespace || '/' || r.name like $hpa
            and r.ts <= $until
            and r.ts + to_microseconds((1e6 * r.lasted_s)::bigint) >= $since
            and (has_inputs(r.class) or did_not_run(r.class))
    )
), held as (
    select
        hpa_uid,
        -- Where the metrics could not be read nobody knows what they asked for.
        sum(
            greatest(raw_desired::bigint - desired, 0) * before_s
            + greatest(raw_desired::bigint - coalesce(actual, spec_replicas), 0) * after_s
        ) filter (raw_desired is not null) / 60 as short,
        sum(
            greatest(desired::bigint - greatest(raw_desired, min_replicas), 0) * before_s
            + greatest(coalesce(actual, spec_replicas)::bigint - greatest(raw_desired, min_replicas), 0) * after_s
        ) filter (raw_desired is not null) / 60 as spare,
        coalesce(
            sum(before_s + after_s) filter (
                is_missed
                or starts_with(reason_code, 'gate.selector_')
                or reason_code in ('gate.all_metrics_invalid', 'gate.metric_failed', 'gate.target_unreadable')
            ), 0
        ) / 60 as blind
    from asked
    group by hpa_uid
), ran as (
    select hpa_uid, sum(wanted::bigint * epoch_us(least(until, $until) - greatest(ts, $since))) / 6e7 as minutes
    from effects
    where until > $since and ts < $until
    group by hpa_uid
), unready as (
    -- Of pods that were not recorded nobody knows whether they were ready.
    select hpa_uid, if(bool_or(class = 'effect.unknown'), null, sum(pod_seconds_missing)) / 60 as minutes
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
), told as (
    -- Where nothing of its decisions is known an HPA has its pods, and those who wrote, all the same.
    from hpas
    where namespace || '/' || name like $hpa
        and hpa_uid in (select hpa_uid from held union all select hpa_uid from ran union all select hpa_uid from wrote)
)
select
    t.namespace, t.name,
    round(a.minutes, 1) as pod_minutes,
    round(h.short, 1) as short_pod_minutes,
    round(h.spare, 1) as spare_pod_minutes,
    round(u.minutes, 1) as unready_pod_minutes,
    round(h.blind, 1) as blind_minutes,
    coalesce(w.writes, 0) as foreign_writes
from told as t
left join held as h using (hpa_uid)
left join ran as a using (hpa_uid)
left join unready as u using (hpa_uid)
left join wrote as w using (hpa_uid)
order by short_pod_minutes desc nulls last, t.namespace, t.name, t.hpa_uid;
