"""The smallest change that would have changed a decision, where that can be computed from what is kept."""

import math

from hpaaudit.model.account import Metric, ReconcileAccount, StepLine
from hpaaudit.model.units import Micros
from hpaaudit.report.text import clock

_PERCENT_LIMIT = 100_000
_HELD = ("stabilize.down_hold", "stabilize.up_hold", "stabilize.down_partial", "stabilize.up_partial")


def nearest_flip(account: ReconcileAccount) -> str:
    """One sentence, or nothing: a hold by tolerance names its thresholds, one by memory the instant it ends."""
    step = next((step for step in account.steps if step.code == account.reason_code), None)
    if step is not None and step.code in _HELD:
        return _memory_ends(step)
    winner = next((metric for metric in account.metrics if metric.is_winner), None)
    if account.reason_code in ("tolerance.hold", "metric.on_target") and winner is not None:
        return _threshold(winner, account.spec_replicas)
    return ""


def _memory_ends(step: StepLine) -> str:
    known = dict(step.detail)
    recommended, window = known.get("recommended_us"), known.get("window_us")
    if not isinstance(recommended, int) or not isinstance(window, int):
        return ""
    return (
        f"the recommendation of {clock(Micros(recommended))} leaves the window at {clock(Micros(recommended + window))}"
    )


def _threshold(metric: Metric, current: int | None) -> str:
    """Whole percents of a utilization, as the controller compares them; only where every pod counted as measured."""
    target, tolerance, pods = metric.target, metric.tolerance, metric.ready_pods
    if metric.target_type != "Utilization" or not target or tolerance is None or not pods or current is None:
        return ""
    if metric.adjust_code != "adjust.none" or metric.unready_pods or metric.missing_pods:
        return ""
    found = []
    for word, percents in (("more", range(target, _PERCENT_LIMIT)), ("fewer", range(target, -1, -1))):
        for percent in percents:
            ratio = percent / target
            asked = math.ceil(ratio * pods)
            if not 1.0 - tolerance <= ratio <= 1.0 + tolerance and (
                asked > current if word == "more" else asked < current
            ):
                found.append(f"for {word} at {percent} %")
                break
    return f"{metric.name} asks {', '.join(found)}" if found else ""
