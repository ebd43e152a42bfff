-- Why did each reconcile end as it did: what it did, what bound the number, which metric won and with what?
-- One row per reconcile. Together the codes are the whole sentence: act, reason, winner, metric, adjustment.
-- Columns:
--   reconcile_id: of `reconciles`
--   ts: when it had decided
--   lasted_s: seconds until the HPA's next reconcile
--   act_code: `act.scale_up`, `act.scale_down`, `act.hold` or `act.write_failed`
--   reason_code: the last step that bound the number, else what the winning metric found
--   winner_code: why this metric won: see *Winners*; NULL where none did
--   metric_name: the metric that won; NULL where none did
--   metric_label: what screens call it
--   metric_code: what it found: see *Winners*; NULL where none won, or its ratio is unknown
--   adjust_code: how missing and unready pods bent it; NULL where none won
--   raw_desired: what the metrics asked for
--   desired: what `spec.replicas` should become
--   reported: the reasons of the conditions that it leaves behind: AbleToScale, ScalingActive, ScalingLimited
create view main.reasons as
with winners as (
    select reconcile_id, metric_name, metric_label, metric_type, target_type, proposal, ratio, ratio_adjusted, tolerance, adjust_code
    from main.metric_proposals
    where is_winner
), rivals as (
    select
        p.reconcile_id,
        count(*) as metrics,
        count(*) filter (p.valid and p.proposal = w.proposal) as ties
    from main.metric_proposals as p
    join winners as w using (reconcile_id)
    where p.valid and not p.is_winner
    group by p.reconcile_id
)
select
    r.replay_id, r.hpa_uid, r.namespace, r.name, r.reconcile_id, r.ts, r.lasted_s,
    case when r.reason_code = 'act.write_failed' then r.reason_code else 'act.' || r.action end as act_code,
    r.reason_code,
    case
        when w.reconcile_id is null then null
        when v.metrics is null then 'winner.only_valid'
        when v.ties > 0 then 'winner.tie'
        else 'winner.max_proposal'
    end as winner_code,
    w.metric_name, w.metric_label,
    case
        -- Inside the tolerance these metrics ask for the pods that there are, surge included, not for spec.replicas.
        when abs(w.ratio - 1) <= w.tolerance
            and w.metric_type in ('External', 'Object')
            and w.target_type = 'AverageValue'
            and w.proposal = r.status_replicas
            and r.status_replicas <> r.spec_replicas
            then 'tolerance.status_replicas_returned'
        when w.ratio = 1 then 'metric.on_target'
        when abs(w.ratio - 1) <= w.tolerance then 'metric.within_tolerance'
        when w.ratio > 1 then 'metric.above_target'
        when w.ratio < 1 then 'metric.below_target'
    end as metric_code,
    w.adjust_code, r.raw_desired, r.desired,
    concat_ws(' ', r.able_reason, r.active_reason, r.limited_reason) as reported
from main.reconciles as r
left join winners as w using (reconcile_id)
left join rivals as v using (reconcile_id);
