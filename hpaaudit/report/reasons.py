"""Turns reason codes into sentences that say why a reconcile decided its number."""

from collections.abc import Mapping, Sequence
from typing import Any

from hpaaudit.model.account import Change, Metric, ReconcileAccount, StepLine
from hpaaudit.model.counted import counted
from hpaaudit.model.units import Micros
from hpaaudit.report.text import Clock, duration, quantity

_SENTENCES = {
    "gate.target_unreadable": "Nothing was decided: the scale of the target could not be read{because}.",
    "gate.stale_cache": "Nothing was decided: the controller's cache did not have its own last status write yet.",
    "gate.disabled_at_zero": "Kept 0: the target is at zero replicas, so the HPA is off until someone sets at least 1.",
    "gate.scaled_to_zero": "Kept 0: minReplicas is 0 and no metric asks for more.",
    "gate.above_max": "Current replicas were above maxReplicas {max}; metrics were not consulted.",
    "gate.below_min": "Current replicas were below minReplicas {min}; metrics were not consulted.",
    "gate.panicked": "Nothing was decided: the controller's computation panicked{because}.",
    "gate.selector_missing": "Kept {spec}: the scale reports no selector.",
    "gate.selector_invalid": "Kept {spec}: the selector of the scale does not parse{because}.",
    "gate.selector_ambiguous": "Kept {spec}: its pods are also selected by another HPA{because}.",
    "gate.all_metrics_invalid": "Kept {spec}: no metric was usable{because}.",
    "gate.metric_failed": "Kept {spec}: a metric was unusable{because}, and until 1.14 that ends the reconcile.",
    "gate.partial_metrics_block_down": (
        "Kept {spec}: a metric was unusable{because}, and scale-down is not allowed on partial data."
    ),
    "metric.above_target": "{measure} asks for {raw}.",
    "metric.below_target": "{measure} allows {raw}.",
    "metric.on_target": "{measure} asks for {raw}, the current replicas.",
    "tolerance.hold": "Kept {spec}: {measure} is inside the tolerance of {tolerance}.",
    "adjust.damped_into_tolerance": (
        "Kept {spec}: after unready and missing pods were filled in, {measure} is inside the tolerance."
    ),
    "adjust.direction_flip_hold": (
        "Kept {spec}: after unready and missing pods were filled in, {measure} would reverse the direction."
    ),
    "adjust.count_flip_hold": "Kept {spec}: for {measure} the computed count would go against the direction.",
    "stabilize.down_hold": (
        "Held by an earlier recommendation, not by load: {measure} allows {raw}, but {recommendation} was "
        "recommended at {recommended_at}; that counts until {until}."
    ),
    "stabilize.down_partial": (
        "Slowed by an earlier recommendation: {measure} allows {raw}, but {recommendation} was recommended at "
        "{recommended_at}; that counts until {until}."
    ),
    "stabilize.up_hold": (
        "Held by an earlier recommendation: {measure} asks for {raw}, but only {recommendation} was recommended "
        "at {recommended_at}; the scale-up window lasts until {until}."
    ),
    "stabilize.up_partial": (
        "Slowed by an earlier recommendation: {measure} asks for {raw}, but only {recommendation} was "
        "recommended at {recommended_at}; the scale-up window lasts until {until}."
    ),
    "stabilize.up_reversed": (
        "Scaled down by the window that delays a scale-up: {measure} asks for {raw}, but only {recommendation} was "
        "recommended at {recommended_at}. Since 1.21 this window no longer goes below the current replicas."
    ),
    "stabilize.down_reversed": (
        "Scaled up by the window that delays a scale-down: {measure} allows {raw}, but {recommendation} was "
        "recommended at {recommended_at}. Since 1.21 this window no longer goes above the current replicas."
    ),
    "stabilize.legacy_raise": (
        "Raised by an earlier recommendation, not by load: {measure} asks for {raw}, but {recommendation} was "
        "recommended at {recommended_at}, and the highest of the last {window} is applied as it is."
    ),
    "window.up_forbidden": (
        "Held by its last scale, not by load: {measure} asks for {wanted}, but the HPA itself scaled at {scaled_at}, "
        "and nothing scales up until samples are of after {until}."
    ),
    "window.down_forbidden": (
        "Held by its last scale, not by load: {measure} allows {wanted}, but the HPA itself scaled at {scaled_at}, "
        "and nothing scales down until samples are of after {until}."
    ),
    "policy.up_limit": "Limited to {limit} by the scale-up policies; {asked}.",
    "policy.down_limit": "Limited to {limit} by the scale-down policies; {asked}.",
    "policy.up_disabled": "Scale-up is disabled by selectPolicy; {asked}.",
    "policy.down_disabled": "Scale-down is disabled by selectPolicy; {asked}.",
    "policy.legacy_up_limit": (
        "Limited to {limit}: a reconcile can at most double the replicas, or raise them to 4; {asked}."
    ),
    "bound.max": "Limited to maxReplicas {max}; {asked}.",
    "bound.min": "Limited to minReplicas {min}; {asked}.",
    "act.write_failed": "Decided {wanted}, but the write failed{because}.",
    "act.write_conflict_retried": "Decided {desired}; a first write conflicted, a later one succeeded.",
}
_PLAIN = "{code}: {measure}."
_TOLERANCE_KEPT_NOTHING = "Kept {spec}: {measure} asks for {spec}, with the tolerance of {tolerance} and without it."
_LIMITS = ("policy.", "bound.")
_WINDOW = "stabilize."
_OF_ONE = ("tolerance.", "adjust.")
"""Reasons that describe the winning metric only: another one that asks for as many may be far from its target."""

_UNADJUSTED = ("", "adjust.none")


_OVER_NO_PODS = -(2**63)
"""What Go makes of an average over zero replicas, infinite or no number, as an integer (amd64)."""


def measure(metric: Metric) -> str:
    """`cpu 171 % of 60 %`, `queue 1160m of 500m`; only the name if nothing was measured."""
    if metric.target_type == "Utilization":
        if metric.current_utilization is None:
            return metric.label
        return f"{metric.label} {metric.current_utilization} % of {metric.target} %"
    if metric.current_milli is None or metric.target is None:
        return metric.label
    if metric.current_milli == _OVER_NO_PODS:
        return f"{metric.label} over no pods"
    return f"{metric.label} {quantity(metric.current_milli)} of {quantity(metric.target)}"


def why(change: Change) -> str:
    """A reason in one line of a table: the code, and what asked for the number."""
    if _is_of_memory(change):
        return f"{change.reason_code}, an earlier recommendation wants {change.stabilized}"
    if change.metric is None:
        return change.reason_code
    return f"{change.reason_code} {measure(change.metric)}" + "".join(f" and {name}" for name in change.tied_metrics)


def _is_of_memory(change: Change) -> bool:
    """True if an earlier recommendation, not the metrics, held the number or asked for the number that was limited."""
    is_of_memory = change.stabilized is not None and change.stabilized != change.raw_desired
    return is_of_memory and change.reason_code.startswith((_WINDOW, *_LIMITS))


def sentence(account: ReconcileAccount) -> str:
    """One sentence that says why the replay decided its number."""
    words = _words(account)
    template = _SENTENCES.get(account.reason_code, _PLAIN)
    if account.reason_code == "tolerance.hold" and account.without_tolerance == account.desired is not None:
        template = _TOLERANCE_KEPT_NOTHING
    try:
        return template.format_map(words) + _tied(account, words["others"]) + _also(account)
    except KeyError:  # the step with the missing words was not kept
        return _PLAIN.format_map(words)


def _tied(account: ReconcileAccount, others: Sequence[Metric]) -> str:
    """Which other metrics ask for the number at which a tolerance left the winner; empty if none does."""
    if not others or not account.reason_code.startswith(_OF_ONE):
        return ""
    asks = "asks" if len(others) == 1 else "ask"
    return f" {' as well as '.join(map(measure, others))} {asks} for {account.raw_desired} too."


def _also(account: ReconcileAccount) -> str:
    """What explains the number besides: more pods than replicas, or another bound or policy; empty without one."""
    winner = next((metric for metric in account.metrics if metric.is_winner), None)
    if account.reason_code == "metric.above_target" and winner and winner.ratio is not None and winner.ratio < 1:
        pods = sum(filter(None, (winner.ready_pods, winner.unready_pods, winner.missing_pods)))
        if pods > (account.status_replicas or 0):
            there = counted(account.status_replicas or 0, "replica")
            return f" It is below its target, but the selector matched {counted(pods, 'pod')} where there were {there}."
    if account.reason_code.startswith(_WINDOW) and winner and winner.adjust_code not in _UNADJUSTED:
        return _filled_in(winner)
    step = _reason_step(account)
    if step is None or step.binding or not step.code.startswith((_WINDOW, "policy.")) or step.before == step.after:
        return ""
    part = "earlier recommendations" if step.code.startswith(_WINDOW) else "the policies"
    bounds = {"minReplicas": account.min_replicas, "maxReplicas": account.max_replicas}
    other = next((f"{name} {bound} gives" for name, bound in bounds.items() if bound == account.desired), None)
    return f" Without {part} the number would be the same: {other or 'the policies give'} it too."


def _filled_in(metric: Metric) -> str:
    """Which pods made the metric ask for another number than its value tells; empty where that is unknown."""
    unready, missing = metric.unready_pods or 0, metric.missing_pods or 0
    pods = (metric.ready_pods or 0) + unready + missing
    # Where the others ask for more, both count as idle; where they ask for fewer, those without a sample count as busy.
    is_high = metric.ratio is not None and metric.ratio > 1
    filled = {"not ready": unready if is_high else 0, "not measured": missing}
    number, what = sum(filled.values()), " or ".join(name for name, count in filled.items() if count)
    were = "was" if number == 1 else "were"
    counted_as = "idle" if is_high else "busy"
    return f" {number} of {counted(pods, 'pod')} {were} {what} and counted as {counted_as}." if number else ""


def _reason_step(account: ReconcileAccount) -> StepLine | None:
    return next((step for step in reversed(account.steps) if step.code == account.reason_code), None)


def _words(account: ReconcileAccount) -> Mapping[str, Any]:
    winner = next((metric for metric in account.metrics if metric.is_winner), None)
    # Metrics that ask for the same number made it together: without one of them it would be the same.
    winners = [metric for metric in account.metrics if winner and metric.valid and metric.proposal == winner.proposal]
    winners.sort(key=lambda metric: not metric.is_winner)
    told = winners[:1] if account.reason_code.startswith(_OF_ONE) else winners
    told = told or ([winner] if winner else [])
    reason = _reason_step(account)
    words: dict[str, Any] = {
        "code": account.reason_code,
        "spec": account.spec_replicas,
        "desired": account.desired,
        "raw": account.raw_desired,
        "min": account.min_replicas,
        "max": account.max_replicas,
        "measure": " as well as ".join(map(measure, told)) or "no metric",
        "others": winners[1:],
        "tolerance": winner.tolerance if winner else None,
    }
    invalid = next((metric.invalid_text or metric.invalid_code for metric in account.metrics if not metric.valid), "")
    error = (dict(reason.detail).get("error") if reason else None) or invalid or account.error
    words["because"] = f" ({error})" if error else ""
    if reason is None:
        return words
    words |= _step_words(reason, account)
    return words | {"asked": _asked(account, words)}


def _asked(account: ReconcileAccount, words: Mapping[str, Any]) -> str:
    """The number that a limit cut: what the metrics asked for, or an older recommendation that differs from it."""
    memory = next((step for step in account.steps if step.code.startswith(_WINDOW)), None)
    if memory is None:
        return f"{words['wanted']} {'was' if words['wanted'] == 1 else 'were'} wanted"
    remembered = _step_words(memory, account)
    asks = f"{words['measure']} asks for {words['raw']}"
    if "recommended_at" in remembered:
        return f"{memory.after} was recommended at {remembered['recommended_at']}, and {asks}"
    return f"an earlier recommendation wants {memory.after}, and {asks}"


def _step_words(step: StepLine, account: ReconcileAccount) -> dict[str, Any]:
    clock = Clock(account.at_us, account.at_us)
    words: dict[str, Any] = {"wanted": step.before, "limit": step.after} | dict(step.detail)
    recommended, window = words.get("recommended_us"), words.get("window_us")
    scaled = words.get("scaled_us")
    if isinstance(scaled, int) and isinstance(window, int):
        words |= {"scaled_at": clock(Micros(scaled)), "until": clock(Micros(scaled + window))}
    if isinstance(recommended, int):
        words["recommended_at"] = clock(Micros(recommended))
        if isinstance(window, int):
            words["until"] = clock(Micros(recommended + window))
            words["window"] = duration(window / 1e6)
    return words
