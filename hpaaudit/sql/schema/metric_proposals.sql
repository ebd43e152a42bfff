-- How many replicas did each metric propose, and why?
-- One row per metric of a reconcile.
-- Columns:
--   reconcile_id: of `reconciles`
--   ts: when that had decided
--   metric_idx: place in the spec, from 0; up to 1.5 cpu comes first, then those of the annotation
--   metric_type: `Resource`, `ContainerResource`, `Pods`, `Object` or `External`
--   metric_name: of the resource or the metric
--   metric_label: what screens call it: its name, with its container, and with its selector or object where others share the name
--   target_type: `Utilization`, `Value` or `AverageValue`
--   target: percent where `target_type` is Utilization, else milli
--   current_milli: what the status publishes as value or averageValue, in milli
--   current_utilization: what it publishes as averageUtilization, in percent
--   ratio: measured over target, at first
--   ratio_adjusted: after missing and unready pods were filled in; NULL where none were
--   tolerance: of the side that was tested
--   proposal: how many replicas it asks for; NULL where it is unusable
--   valid: whether it could be used
--   invalid_code: why not
--   invalid_text: why not, in the controller's words; NULL where only numbers were kept
--   adjust_code: how missing and unready pods bent it
--   ready_pods: counted with what they use
--   unready_pods: not ready yet: idle on the way up, ignored on the way down
--   missing_pods: without a sample: idle on the way up, at their target on the way down
--   ignored_pods: deleted or failed
--   is_winner: the one whose proposal decided
create table runs.metric_proposals (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    ts timestamp,
    metric_idx integer,
    metric_type varchar,
    metric_name varchar,
    metric_label varchar,
    target_type varchar,
    target bigint,
    current_milli bigint,
    current_utilization integer,
    ratio double,
    ratio_adjusted double,
    tolerance double,
    proposal integer,
    valid boolean,
    invalid_code varchar,
    invalid_text varchar,
    adjust_code varchar,
    ready_pods integer,
    unready_pods integer,
    missing_pods integer,
    ignored_pods integer,
    is_winner boolean
);
