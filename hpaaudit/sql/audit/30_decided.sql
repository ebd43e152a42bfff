-- Which number did the controller itself decide?
-- One row per reconcile. decided_source: event (FailedRescale names it), status (its desiredReplicas stands, and the
-- conditions say that it was computed), conditions (they say that none was computed; decided is NULL), or empty.
create temp table decided as
with statuses as (
    select
        *,
        lag(desired_replicas) over (partition by hpa_uid order by observed_at) as desired_before
    from (
        from runs.hpa_status
        qualify row_number() over (partition by hpa_uid, observed_at order by rowid desc) = 1
    )
), standing as (
    select
        s.reconcile_id, s.began_at, s.until,
        h.observed_at, h.desired_replicas, h.desired_before,
        h.able_status, h.able_reason, h.active_status, h.active_reason,
        coalesce(h.observed_at >= s.began_at, false) as fresh,
        coalesce(h.able_status, '') <> '' or h.desired_replicas > 0 as was_written,
        coalesce(h.able_status = 'False' and h.able_reason in ('FailedGetScale', 'FailedUpdateScale'), false)
        or coalesce(h.active_status = 'False' and h.active_reason not in ('ScalingDisabled', 'ScaledToZero'), false)
            as is_failing
    from spans as s
    asof left join statuses as h
        on s.hpa_uid = h.hpa_uid and s.until > h.observed_at
), failed_rescales as (
    select
        s.reconcile_id,
        arg_max(try_cast(regexp_extract(e.message, 'New size: (\d+)', 1) as integer), e.observed_at) as sent
    from spans as s
    join runs.k8s_events as e
        on e.reason = 'FailedRescale'
        and e.kind = 'HorizontalPodAutoscaler'
        and e.namespace = s.namespace
        and e.name = s.name
        and e.observed_at >= s.began_at
        and e.observed_at < s.until
    group by s.reconcile_id
), refused as (
    select distinct s.reconcile_id
    from spans as s
    join refused_statuses as f
        on f.namespace = s.namespace and f.name = s.name and f.ts >= s.began_at and f.ts < s.until
), sources as (
    select
        t.*, f.sent,
        case
            when f.sent is not null then 'event'
            when not coalesce(t.was_written, false) then ''
            -- An old status is no evidence where the next one could not be seen, or was refused.
            when not t.fresh and (coalesce(b.hides_status, false) or r.reconcile_id is not null) then ''
            when t.is_failing and not (t.fresh and t.desired_replicas is distinct from t.desired_before) then 'conditions'
            else 'status'
        end as decided_source
    from standing as t
    left join failed_rescales as f using (reconcile_id)
    left join refused as r using (reconcile_id)
    left join blind as b using (reconcile_id)
)
select
    reconcile_id,
    decided_source,
    case decided_source when 'event' then sent when 'status' then desired_replicas end as decided,
    able_reason as said_able_reason,
    active_reason as said_active_reason,
    fresh as said_fresh
from sources;
