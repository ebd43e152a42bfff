"""The smallest change that would have changed a decision, where that can be computed from what is kept."""

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
        return _threshold(winner, alone=len(account.metrics) == 1)
    return ""


def _memory_ends(step: StepLine) -> str:
    known = dict(step.detail)
    recommended, window = known.get("recommended_us"), known.get("window_us")
    if not isinstance(recommended, int) or not isinstance(window, int):
        return ""
    return (
        f"the recommendation of {clock(Micros(recommended))} leaves the window at {clock(Micros(recommended + window))}"
    )


def _threshold(metric: Metric, *, alone: bool) -> str:
    """Whole percents of a utilization, as the controller compares them; only where every pod counted as measured."""
    if metric.target_type != "Utilization" or not metric.target or metric.tolerance is None:
        return ""
    if metric.adjust_code != "adjust.none":
        return ""
    target, tolerance = metric.target, metric.tolerance
    above = next(p for p in range(target, _PERCENT_LIMIT) if p / target > 1.0 + tolerance)
    up = f"up from {metric.name} {above} %"
    below = next((p for p in range(target, -1, -1) if p / target < 1.0 - tolerance), None)
    if below is None or not alone:
        return up
    return f"{up}, down from {below} %"
