"""The codes of decisions and divergences in plain words. Every screen that shows a code takes its words from here."""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from hpaaudit.report.text import page_width, paragraph, printable

REASONS = {
    "gate.target_unreadable": "the scale of the target could not be read",
    "gate.stale_cache": "the controller's cache did not have its own last status write yet",
    "gate.disabled_at_zero": "the target has zero replicas: the HPA is off",
    "gate.scaled_to_zero": "zero replicas: minReplicas is 0 and no metric asks for more",
    "gate.above_max": "there were more replicas than maxReplicas: metrics are not consulted",
    "gate.below_min": "there were fewer replicas than minReplicas: metrics are not consulted",
    "gate.panicked": "the controller's computation panicked, and nothing was written (1.2 to 1.5)",
    "gate.selector_missing": "the scale reports no selector",
    "gate.selector_invalid": "the selector of the scale does not parse",
    "gate.selector_ambiguous": "another HPA selects the same pods",
    "gate.all_metrics_invalid": "no metric was usable",
    "gate.metric_failed": "one metric was unusable, and until 1.14 that ends the reconcile",
    "gate.partial_metrics_block_down": "one metric was unusable, and the others ask for less",
    "metric.above_target": "the metric asks for more",
    "metric.below_target": "the metric allows less",
    "metric.on_target": "the metric asks for the current replicas",
    "tolerance.hold": "the metric is off target by less than the tolerance",
    "adjust.damped_into_tolerance": "with unready and missing pods filled in, the metric is inside the tolerance",
    "adjust.direction_flip_hold": "with unready and missing pods filled in, the metric would reverse the direction",
    "adjust.count_flip_hold": "the computed number of replicas would go against the direction",
    "stabilize.down_hold": "an earlier recommendation held all of the scale-down",
    "stabilize.down_partial": "an earlier recommendation held a part of the scale-down",
    "stabilize.up_hold": "an earlier recommendation held all of the scale-up",
    "stabilize.up_partial": "an earlier recommendation held a part of the scale-up",
    "stabilize.up_reversed": "the scale-up window scaled down: an earlier recommendation was lower (to 1.20)",
    "stabilize.down_reversed": "the scale-down window scaled up: an earlier recommendation was higher (to 1.20)",
    "stabilize.legacy_raise": (
        "without a behavior the highest recent recommendation is applied, even above the current replicas"
    ),
    "window.up_forbidden": "the HPA itself scaled less than the upscale window ago (to 1.11)",
    "window.down_forbidden": "the HPA itself scaled less than the downscale window ago (to 1.11)",
    "policy.up_limit": "the scale-up policies allow no more",
    "policy.down_limit": "the scale-down policies allow no less",
    "policy.up_disabled": "scale-up is disabled by selectPolicy",
    "policy.down_disabled": "scale-down is disabled by selectPolicy",
    "policy.legacy_up_limit": "without a behavior a reconcile can at most double the replicas, or raise them to 4",
    "bound.max": "maxReplicas allows no more",
    "bound.min": "minReplicas allows no less",
    "act.write_failed": "the write of the scale failed",
    "act.write_conflict_retried": "the write succeeded at another attempt, after a conflict",
}
"""Why a reconcile decided its number: `reason_code`, and the codes of steps."""

CLASSES = {
    "external_write.manual": "somebody wrote spec.replicas with kubectl, or by hand",
    "external_write.gitops": "a GitOps controller wrote spec.replicas",
    "external_write.deploy_tool": "Helm, Terraform, a pipeline or kubectl apply wrote spec.replicas",
    "external_write.autoscaler": "another HPA, or KEDA, wrote spec.replicas",
    "external_write.operator": "a program of the cluster wrote spec.replicas",
    "external_write.unknown": "somebody wrote spec.replicas, and it is unknown who",
    "write_failed.conflict": "the HPA's own write lost to another writer",
    "write_failed.denied": "the HPA's own write was not allowed",
    "write_failed.api_error": "the HPA's own write failed, neither by a conflict nor for lack of a right",
    "write_mutated.admission": (
        "the HPA's write succeeded, and another number was stored: an admission webhook or policy changed it"
    ),
    "no_data.recording_gap": (
        "the time is a gap, or the recording never held an input of this HPA: its pods, or the answers "
        "for one of its metrics"
    ),
    "no_data.warmup": "earlier recommendations or scale events that were not observed could have changed the number",
    "no_data.object_unseen": "an input of the decision was not observed",
    "not_run.controller_down": "no controller ran: the Lease of kube-controller-manager had run out",
    "not_run.controller_hung": (
        "the Lease was renewed, but no HPA was reconciled: at least three times in a row a new status "
        "was due, and none was written"
    ),
    "not_run.controller_restart": (
        "the controller was restarting: a new process took over soon after, and nothing was reconciled in between"
    ),
    "not_run.missed_reconcile": (
        "this HPA was not reconciled: at least three times in a row a new status was due, and none was written"
    ),
    "timing.late_reconcile": (
        "no status was written at an inferred time at which one was due: the reconcile came later, or read other values"
    ),
    "timing.sampling_skew": "it is unknown which of two samples was read, or on which side of a window's edge it was",
    "input.metric_value_skew": "the controller published a value that no recorded answer has",
    "config.tolerance": "another tolerance than the assumed one explains it",
    "config.downscale_stabilization": "another downscale stabilization than the assumed one explains it",
    "config.initial_readiness_delay": "another initial readiness delay than the assumed one explains it",
    "config.cpu_initialization_period": "another CPU initialization period than the assumed one explains it",
    "config.upscale_delay": "another upscale delay than the assumed one explains it",
    "config.downscale_delay": "another downscale delay than the assumed one explains it",
    "config.sync_period": "another sync period than the assumed one explains it",
    "config.feature_gate": "a feature gate switched the other way explains it",
    "config.release": "the rules of another release explain it: see `sensitivity`",
    "memory.controller_restart": (
        "a restart of the controller that was not recorded explains it: "
        "it forgot earlier recommendations and scale events"
    ),
    "memory.other_lease": (
        "the controller went on and forgot nothing, while the Lease that was taken for its own changed hands"
    ),
    "unexplained": "replay and controller differ, and no other class explains it",
}
"""Why a reconcile does not match: `class`."""

EFFECTS = {
    "effect.none": "the pods were made and became ready",
    "effect.quota": "for more than 2 minutes fewer pods were made: a quota refused them",
    "effect.not_created": "for more than 2 minutes fewer pods were made",
    "effect.unschedulable": "for more than 2 minutes fewer pods were ready: the scheduler found no node for some",
    "effect.rollout": "for more than 2 minutes fewer pods were ready, during a rollout",
    "effect.disruption": "for more than 2 minutes fewer pods were ready: some ended that nobody had scaled down",
    "effect.slow_start": "for more than 2 minutes fewer pods were ready, and nothing tells why",
    "effect.unknown": "the pods of the target, or its status, were not recorded",
}
"""What became of a number of replicas: `class` in `effects`."""

REPORTS = {
    "report.event_lost": "the HPA changed the replicas, and no Event says so",
    "report.blank_reason": "the Event of the change names no reason",
    "report.wrong_reason": "the Event of the change names a reason for the other direction",
    "report.other_reason": "the Event of the change names another reason than the replay",
    "report.stale_metric": "no metric was usable, and the status still shows a value",
    "report.wrong_condition": "the published conditions are not those of the decision",
}
"""What Kubernetes reported against what happened: `class` in `reports`."""

WINNERS = {
    "winner.only_valid": "it was the only usable metric",
    "winner.tie": "another metric asked for the same number; the first in the spec is named",
    "winner.max_proposal": "it asked for more than the others",
    "metric.within_tolerance": "the metric is off target by less than the tolerance",
    "tolerance.status_replicas_returned": (
        "inside the tolerance this metric asks for the pods that there are, surge pods included"
    ),
}
"""Which metric won and what it found: `winner_code` and `metric_code` in `reasons`, besides the codes of reasons."""

STEPS = {
    "act.hold": "the controller leaves the scale as it is",
    "act.scale_up": "the controller writes a higher number to the scale",
    "act.scale_down": "the controller writes a lower number to the scale",
}
"""Steps that are no reason: other codes of `decision_steps`."""

UNUSABLE = {
    "metric.invalid.unseen": "it was not recorded what the metrics API answered",
    "metric.invalid.api_unavailable": "the metrics API gave no answer, or an error",
    "metric.invalid.forbidden": "the controller may not read this metrics API",
    "metric.invalid.not_registered": "the cluster has no such metrics API",
    "metric.invalid.no_metrics": "the metrics API answered, but without a value for these pods or this object",
    "metric.invalid.empty_external": "the external metrics API answered, but without a value",
    "metric.invalid.container_missing": "no sample has a container of the name that the metric asks for",
    "metric.invalid.bad_spec": "the spec of the metric is not one that the controller can use",
    "metric.invalid.no_pods": "the selector selects no pod, or the answer has none of its pods",
    "metric.invalid.no_ready_metrics": "no pod counted as ready and measured",
    "metric.invalid.missing_request": "a container has no request, so that there is no utilization",
}
"""Why a metric could not be used: `invalid_code`."""

ADJUSTMENTS = {
    "adjust.unready_as_zero_up": "on the way up, unready pods count as idle",
    "adjust.missing_as_zero_up": "on the way up, pods without a sample count as idle",
    "adjust.missing_as_full_down": "on the way down, pods without a sample count as at their target",
}
"""What pods that are unready or without a sample did to a metric: `adjust_code`."""

POD_CAUSES = {
    "no_ready_condition": "its status has no condition Ready, or no start time",
    "initializing": "it started less than the CPU initialization period ago, and is not ready",
    "sample_before_ready": "a part of its sample was measured before it became ready",
    "never_ready": "it is not ready, and has not been since shortly after its start",
    "not_ready": "it is Running, but not ready now (1.5 to 1.11)",
    "pending": "its phase is Pending",
    "no_sample": "the metrics API answered, but without a sample of it",
    "failed": "its phase is Failed",
    "succeeded": "its phase is Succeeded",
    "terminating": "it is being deleted",
}
"""Why a pod is not counted as ready: `why_code`."""

PATTERNS = {
    "pinned_at_max": "metrics asked for more replicas than maxReplicas allows",
    "apply_resets_replicas": "a deploy tool set spec.replicas when it applied its manifest",
    "two_autoscalers": "two HPAs scale the same target",
    "metrics_api_down": "the metrics API failed, so that no metric was usable",
    "blank_reason": (
        "an earlier recommendation raised the replicas, and the controller's Event names no reason, or a wrong one"
    ),
    "update_conflict": "a write of the HPA lost to another writer",
    "pods_not_created": "the target asked for more pods than were made, for more than 2 minutes",
    "selector_matches_other_pods": "the selector of the target matches pods of other workloads",
    "missing_request_sidecar": "a container has no request, so that there is no utilization and the HPA is blind",
    "rollout_inflation": "a rollout raised the replicas while its surge pods were there, or its first pods were gone",
    "gitops_selfheal_loop": "a GitOps controller and the HPA undo each other's replicas",
    "operator_writes_back": "an operator writes the replicas of the target",
    "progressive_delivery": "a canary controller writes the replicas of the target, or the spec of the HPA",
    "value_vs_average": "a total was given as a target of type Value, which more pods do not lower",
    "metric_not_responding": "a metric per pod that does not fall when pods are added",
    "unready_pods_multiplied": "a total of type Value multiplied pods that were not ready, until 1.10",
    "scale_up_window_scaled_down": "the window that delays a scale-up took pods away, until 1.20",
    "unready_pods_damp_up": "unready or unmeasured pods counted as idle and held a scale-up",
    "apiservice_conflict": "another provider took over a metrics API, and its metrics were unusable afterwards",
    "keda_fallback": "the HPA followed the fallback of KEDA, not a trigger",
    "external_zero_or_absent": "a metric fell to zero at once, and a witness says that the load did not",
    "overflow_to_min": "a metric was negative, or so large that the number of replicas overflows",
    "one_bad_metric_blocks_down": "unusable metrics kept the HPA from scaling down, until 1.14 from scaling at all",
    "metric_forbidden_or_unregistered": "the controller may not read a metric, or nothing serves it",
    "scheduled_scaler": "one writer changes replicas or bounds at the same time each day",
    "ceil_floor_never_down": "the metric stays below its target, and rounding up keeps the number of replicas",
    "disabled_at_zero": "the target has zero replicas, so that the HPA is off",
    "pod_without_sample": "pods without a sample held the number, or made a metric unusable",
    "finished_pods_counted": "pods that have finished count as pods without a sample",
    "target_unreadable": "the scale of the target could not be read",
    "flapping": "the HPA scales up and down again and again",
    "ordered_statefulset": "a StatefulSet did not get its pods, and nothing refused them",
    "slow_or_missed_sync": "the HPA was not reconciled when that was due, although the controller ran",
    "controller_restart_memory": "after a restart of the controller the first number that it met held the scale-down",
    "admission_on_scale": "writes of the HPA were changed or refused on their way",
    "behavior_lost_by_old_api": "the behavior of the HPA was removed, perhaps by an older API version",
    "keda_pause_race": "the ScaledObject of the target was paused",
    "keda_zero_edges": "KEDA switched the target on or off",
    "node_churn": "pods end again and again although nobody scales down",
    "startup_cpu_burst": "the CPU that new pods use while they start raised the replicas",
    "new_pods_ignored": "all pods were too new, or not ready, so that the HPA was blind",
    "scale_up_rate_limited": "the scale-up policies allowed less than the metrics asked for",
    "outside_bounds": "the replicas stood outside minReplicas and maxReplicas again and again",
    "vpa_or_resize": "a VerticalPodAutoscaler changes the requests that the utilization is a percentage of",
    "stabilization_confusion": "earlier recommendations held scale-downs for at least half an hour",
    "tolerance_hold": "the metric stood above its target for at least half an hour, inside the tolerance",
    "bounds_edited": "somebody changed minReplicas or maxReplicas, and the HPA enforced it",
    "down_although_disabled": "the HPA scaled down although its behavior disables that",
    "clock_skew": "the clocks of recorder and API server differ by at least two seconds",
    "misleading_status": "the status showed what was not decided on",
    "stale_informer": "the controller waited for its cache for at least a minute",
    "ha_metrics_sources": "the controller read other values than the recorder, again and again",
    "events_lost": "the HPA changed the replicas, and no Event says so",
}
"""Known problems that a recording shows: `pattern`."""

TERMS = {
    "reconcile": "one round of the controller for one HPA, once in a sync period: it reads metrics and pods, decides a "
    "number of replicas, and writes it if that is another one",
    "replay": "each reconcile decided again from what was recorded, by the rules of the controller's release",
    "faithful": "the controller decided as the replay does, in every reconcile that can be compared; somebody else may "
    "have changed the replicas all the same, or no metric may have been there to decide by",
    "proven": "what the controller published follows from the inputs that the replay used",
}
"""Words of every page that are no codes, for who has not read the documents."""

VERDICTS = {
    "match": "the replay decides what the controller published, and the cluster did it",
    "skew": "the controller read a value or a time that was not recorded; that explains the difference",
    "divergent": "what the controller decided, or what the cluster did, differs from the replay",
    "undecidable": "something that the decision depends on was not recorded",
}
"""The result of comparing one reconcile: `verdict`."""

MISSING_INPUTS = {
    "metric.sample": "which of several samples the controller read",
    "metric.answer": "what the metrics API answered: no answer had been recorded until then",
    "memory.before_recording": "what the controller recommended or scaled earlier",
    "instant.window_edge": "on which side of a window's edge an earlier recommendation or scale event was",
    "scale.write": "whether admission changed what the HPA wrote, or somebody wrote afterwards",
    "scale.read": "which number of replicas the controller read: nobody had looked at the target until then",
    "status.late": "which reconcile wrote this number: no status of it was seen",
    "scale.late": "when the target had the number that the HPA wrote: it was seen late",
    "reconcile.unseen": "whether the HPA was reconciled then, or with other settings: no status was written",
    "controller.unseen": "what the controller remembered, or with which settings it was started",
    "controller.sync_period": "how often the controller reconciles",
    "write.refused": "whether its write was refused: then these releases write no status",
    "clock.offset": "when it was: the clocks of recorder and API server differ",
    "reconcile.unsure": "whether earlier reconciles that left no trace took place",
}
"""What would settle which number was decided: `missing_input`."""

WORDS = {
    **REASONS,
    **CLASSES,
    **EFFECTS,
    **REPORTS,
    **WINNERS,
    **STEPS,
    **UNUSABLE,
    **ADJUSTMENTS,
    **POD_CAUSES,
    **PATTERNS,
    **VERDICTS,
    **MISSING_INPUTS,
}
"""The words of every code."""

_BY_COLUMN: Mapping[str, Mapping[str, str]] = {
    "pattern": PATTERNS,
    "verdict": {name: words for name, words in VERDICTS.items() if name != "match"},
    "why_code": POD_CAUSES,
    "class": CLASSES,
}
"""Columns of answers whose codes have no dot, so that they could be any word elsewhere."""

_DOTTED = re.compile(r"(?<![\w.])(?:" + "|".join(re.escape(code) for code in WORDS if "." in code) + r")(?!\w|\.\w)")
_LONGEST = 34
"""A longer code does not widen the column of the others."""
_NARROWEST = 24
"""Words that would have fewer columns than this beside their code stand below it."""


def codes_in(text: str) -> tuple[str, ...]:
    """The codes with a dot that a text has, such as `bound.max`, in the order of their first occurrence."""
    return tuple(dict.fromkeys(_DOTTED.findall(text)))


def legend(codes: Iterable[str], indent: str = "  ") -> str:
    """A line for each of these codes with its words; empty if there is none."""
    known_codes = [code for code in dict.fromkeys(codes) if code in WORDS]
    width = max((len(code) for code in known_codes if len(code) <= _LONGEST), default=0)
    return "\n".join(_line(code, width, indent) for code in known_codes)


def _line(code: str, width: int, indent: str) -> str:
    """A code and its words beside it, or below where they would have too little room."""
    if page_width() - len(indent) - width - 2 < _NARROWEST:
        return f"{indent}{code}\n{paragraph(WORDS[code], f'{indent}  ')}"
    return textwrap.fill(
        WORDS[code],
        page_width(),
        initial_indent=f"{indent}{code.ljust(width)}  ",
        subsequent_indent=" " * (len(indent) + width + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def legend_of_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The legend of an answer: of the codes with a dot anywhere in it, and of the other codes in their columns."""
    codes_found: dict[str, None] = {}
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            if not isinstance(value, str):
                continue
            codes_found |= dict.fromkeys(codes_in(value))
            if value in _BY_COLUMN.get(column, ()):
                codes_found[value] = None
    return legend(codes_found, "")


def missing_in_words(missing: str) -> str:
    """The words of a `missing_input`, or the text itself if it is none."""
    return printable(MISSING_INPUTS.get(missing, missing))
