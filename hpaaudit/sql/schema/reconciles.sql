-- What did each reconcile read, decide and cause, and does the replay agree?
-- One row per reconcile.
-- Columns:
--   reconcile_id: counts all reconciles of the replay in order of time
--   ts: when it had decided, after its last read
--   began_at: when it began, where that is known; else `ts`
--   lasted_s: seconds until the HPA's next reconcile, or until it or the recording ended
--   at_source: how we know of it: `reconcile` (a capture's line), `status_write`, `event`, `scale_write`, `grid`, or `watch`: the HPA had changed, and the controllers of 1.2 to 1.5 reconcile it then
--   uncertainty_s: it may have been so many seconds earlier or later
--   epoch_id: which controller process it was, in `controller_epochs`
--   spec_replicas: `spec.replicas` of the scale as it was read; NULL where it could not be
--   status_replicas: `status.replicas` of the scale
--   min_replicas: of the spec, defaulted
--   max_replicas: of the spec
--   raw_desired: the highest proposal of the metrics, before stabilization; NULL where they were not consulted or failed
--   stabilized: after the stabilization window
--   rate_limited: after the scaling policies, before minReplicas and maxReplicas
--   unheld: what it would have decided without what held it: missing and unready pods, earlier recommendations or a metric that failed; NULL where none of these did. Of pods without a sample that held a scale-down: without earlier recommendations, too
--   desired: what `spec.replicas` should become; NULL where the scale could not be read
--   status_desired: what `status.desiredReplicas` should say; the old value on every failure
--   action: `scale_up`, `scale_down` or `hold`
--   reason_code: the last step that bound the number, else what the winning metric found: see *Reasons*
--   scale_reason: the reason in the controller's own words, as in its Event
--   winner_idx: `metric_idx` of the metric that decided, NULL where none did
--   error: what the controller hands to its error handler, empty where nothing failed; NULL where only numbers were kept
--   able_status: status of the condition AbleToScale that it leaves behind; NULL without one
--   able_reason: its reason
--   active_status: the same of ScalingActive
--   active_reason: its reason
--   limited_status: the same of ScalingLimited
--   limited_reason: its reason
--   band_lo: least `desired` over everything that it may have seen
--   band_hi: greatest; equal to `band_lo` where nothing is open
--   decided: what the controller itself said that it wanted; NULL where nothing tells
--   decided_source: `event` (FailedRescale names it), `status` (its desiredReplicas), `conditions` (they say that none was computed), or NULL
--   actual: `spec.replicas` as the next reconcile reads it
--   is_known: the controller published what it decided, or the next reconcile read what became of the scale
--   verdict: `match`, `skew`, `divergent` or `undecidable`
--   class: why it is no match: see *Classes*; NULL for a match
--   divergence_id: the divergence that it belongs to, in `divergences`
--   evidence: `proven` (what the controller published follows from these inputs), `assumed` (from none that were seen), `seen` (its own answers were recorded)
--   missing_input: what would close the band, empty where nothing is open
create table runs.reconciles (
    replay_id varchar,
    hpa_uid varchar,
    namespace varchar,
    name varchar,
    reconcile_id bigint,
    ts timestamp,
    began_at timestamp,
    lasted_s double,
    at_source varchar,
    uncertainty_s double,
    epoch_id integer,
    spec_replicas integer,
    status_replicas integer,
    min_replicas integer,
    max_replicas integer,
    raw_desired integer,
    stabilized integer,
    rate_limited integer,
    unheld integer,
    desired integer,
    status_desired integer,
    action varchar,
    reason_code varchar,
    scale_reason varchar,
    winner_idx integer,
    error varchar,
    able_status varchar,
    able_reason varchar,
    active_status varchar,
    active_reason varchar,
    limited_status varchar,
    limited_reason varchar,
    band_lo integer,
    band_hi integer,
    decided integer,
    decided_source varchar,
    actual integer,
    is_known boolean,
    verdict varchar,
    class varchar,
    divergence_id bigint,
    evidence varchar,
    missing_input varchar
);
