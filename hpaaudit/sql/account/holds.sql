-- What held an HPA for a minute or more, and what did it cost?
-- One row per HPA and cause, the longest first. is_least: what was decided is not known of a reconcile among them, or beside
-- them, so that it may have been longer. is_shared: a write by others took pods away in part of that time, and what it cost has
-- the same pods.
with held as materialized (
    {held}
), holds as (
    select
        hpa_uid, cause, count(*) as reconciles, min(ts) as first_ts, max(ts) as last_ts, arg_max(lasted_s, ts) as last_s,
        coalesce(round(sum(lasted_s), 6), 0) as lasted_s,
        -- What a metric that failed, or a pod that was not measured, would ask for is unknown.
        coalesce(round(sum(lasted_s * case
            when cause <> 'unmeasured' then if(wanted_more < 0, spare, wanted_more)
        end), 6), 0) as pod_s,
        coalesce(max(idle_pods), 0) as idle_pods,
        coalesce(max(failed_metrics), 1) as failed_metrics,
        coalesce(arg_max(pods, idle_pods), 0) as pods,
        epoch_us(min(ts) filter (fell_to is not null)) as fell_us,
        coalesce(arg_min(fell_from, ts) filter (fell_to is not null), 0) as fell_from,
        coalesce(arg_min(fell_to, ts) filter (fell_to is not null), 0) as fell_to
    from held
    where cause is not null
    group by hpa_uid, cause
    having sum(lasted_s) >= $long_hold_s
), shared as (
    select distinct h.hpa_uid, h.cause
    from held as h
    join foreign_writes as w
        on w.hpa_uid = h.hpa_uid
        and h.ts >= w.ts
        and h.ts < coalesce(w.restored_at, w.undone_at, 'infinity')
    where h.wanted_more > 0 and w.to_replicas < w.from_replicas
), undecided as (
    select hpa_uid, ts, ts + to_microseconds((1e6 * lasted_s)::bigint) as until
    from reconciles
    where verdict = 'undecidable'
)
select
    h.* exclude (first_ts, last_ts, last_s),
    epoch_us(h.first_ts) as first_us, epoch_us(h.last_ts) as last_us,
    exists (
        from undecided as u
        where u.hpa_uid = h.hpa_uid
            and u.until >= h.first_ts - interval 1 second
            and u.ts <= h.last_ts + to_microseconds((1e6 * h.last_s)::bigint) + interval 1 second
    ) as is_least,
    (h.hpa_uid, h.cause) in (from shared) as is_shared
from holds as h
order by h.lasted_s desc, h.cause, h.hpa_uid;
