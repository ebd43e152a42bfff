-- Which reconciles would another setting have to explain, and which must it not change?
-- One row per reconcile, of HPAs with unexplained ones, that is unexplained or agrees. real: the number that the controller
-- published, else the one that the target got; published, predicted: where only conditions tell what it decided, the reasons
-- of AbleToScale and ScalingActive, and those of the replay; is_seen: the reconcile left a trace.
create temp table open_questions as
with asked as (
    select *, ts + greatest(1, (1e6 * lasted_s)::bigint) * interval 1 microsecond as until
    from runs.reconciles
    where (class = 'unexplained' or verdict = 'match')
        -- With clocks that differ by so much no setting is tried: times explain it.
        and (select coalesce(abs(clock_offset_ms) < 10000, true) from runs.recordings)
        and hpa_uid in (select hpa_uid from runs.reconciles where class = 'unexplained')
)
select
    r.reconcile_id,
    r.namespace || '/' || r.name as hpa,
    epoch_us(r.ts) as at_us,
    r.desired,
    coalesce(r.decided, r.actual) as real,
    if(r.class = 'unexplained', r.divergence_id, null) as divergence_id,
    if(r.decided_source = 'conditions', concat_ws(' ', s.able_reason, s.active_reason), null) as published,
    concat_ws(' ', r.able_reason, r.active_reason) as predicted,
    r.at_source <> 'grid' as is_seen
from asked as r
asof left join runs.hpa_status as s on s.hpa_uid = r.hpa_uid and r.until > s.observed_at
order by hpa, r.reconcile_id;
