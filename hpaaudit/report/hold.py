"""Words what held an HPA from the number that its metrics asked for, for how long, and what that cost."""

from hpaaudit.model.account import Finding, Hold
from hpaaudit.model.counted import counted
from hpaaudit.report.text import Clock, duration

WORDS = {
    "memory": "Earlier recommendations, not load, held a scale-down",
    "unready": "Pods that were not ready or not measured counted as idle and stopped a scale-up",
    "unmeasured": "Pods that were not measured counted as busy and stopped a scale-down",
    "up_window": "The window that delays a scale-up {held}",
    "up_forbidden": "The forbidden window after the HPA's last scale held a scale-up",
    "down_forbidden": "The forbidden window after the HPA's last scale held a scale-down",
    "max_replicas": "maxReplicas alone held a scale-up",
    "up_policy": "The metrics asked for more than the scale-up policies allowed",
    "up_limit": "The metrics asked for more than a scale-up without a behavior may reach at once (double, at least 4)",
    "up_disabled": "The metrics asked for more, and scale-up is disabled,",
    "down_policy": "The metrics asked for fewer than the scale-down policies allowed",
    "down_disabled": "The metrics asked for fewer, and scale-down is disabled,",
    "metric_failed": "{failed} failed, and until 1.14 that keeps the others from scaling,",
    "partial_metrics": "{failed} failed, and that alone kept the others from scaling down,",
    "metric_and_memory": "{failed} failed and earlier recommendations stood, either of which kept the replicas,",
    "no_metric": "No metric was usable, so that nothing could scale,",
    "target_unreadable": "The scale of the target could not be read, so that nothing could scale,",
    "selector_ambiguous": "Another HPA selected the same pods, so that this one could not scale,",
    "selector_unusable": "The scale had no selector that can be used, so that nothing could scale,",
    "disabled_at_zero": "The target had 0 replicas, so that the HPA was off,",
}
"""What kept an HPA from the number that its metrics asked for, by the cause of a hold.

failed   how many metrics failed;  held   what the window held: a scale-up, or it scaled down before it did
"""

HOLDERS = {
    "memory": "earlier recommendations",
    "unready": "pods that were not ready or not measured and counted as idle",
    "unmeasured": "pods that were not measured and counted as busy",
    "up_window": "the window that delays a scale-up",
    "up_forbidden": "the forbidden window of scale-ups",
    "down_forbidden": "the forbidden window of scale-downs",
    "max_replicas": "maxReplicas",
    "up_policy": "the scale-up policies",
    "up_limit": "what a scale-up without a behavior may reach at once",
    "up_disabled": "a scale-up that is disabled",
    "down_policy": "the scale-down policies",
    "down_disabled": "a scale-down that is disabled",
    "metric_failed": "a metric that failed, which until 1.14 keeps the others from scaling",
    "partial_metrics": "a metric that failed, so that the others could not scale down",
    "metric_and_memory": "a metric that failed and earlier recommendations, either of which kept the replicas",
    "no_metric": "no metric that was usable",
    "target_unreadable": "a scale that could not be read",
    "selector_ambiguous": "another HPA that selected the same pods",
    "selector_unusable": "a scale without a selector that can be used",
    "disabled_at_zero": "a target with 0 replicas",
}
"""What held an HPA, as a noun for a list: beyond two causes the others are only named."""


def held_in_words(hold: Hold, clock: Clock) -> str:
    """For how long an HPA was held, by what, and what that cost."""
    times = f"in {counted(hold.reconciles, 'reconcile')} {during(hold, clock)}"
    kind = _COSTS.get(hold.cause, "")
    if kind == "missing":
        kind += " at least" if hold.is_least else ""
        kind += ", some of them after a write by others" if hold.is_shared else ""
    cost = cost_in_words(hold.pod_s, kind)
    if hold.cause == "unready" and hold.idle_pods:
        return (
            f"A scale-up was held for {how_long(hold)} because up to {hold.idle_pods} of "
            f"{counted(hold.pods, 'pod')} were not ready or not measured and counted as idle, not as busy as the "
            f"others, {times}{cost}."
        )
    failed = "One metric" if hold.failed_metrics == 1 else f"{hold.failed_metrics} metrics"
    held = "held one"
    if hold.fell_us is not None:
        fell = f"{hold.fell_from} -> {hold.fell_to} at {clock(hold.fell_us)}"
        held = f"scaled down, as it does up to 1.20, {fell}, and held the scale-up"
    words = WORDS[hold.cause].format(failed=failed, held=held)
    return f"{words} for {how_long(hold)}, {times}{cost}."


def how_long(hold: Hold) -> str:
    """`7m 01s`, or `at least 7m 01s` where some of that time is not known."""
    return f"at least {duration(hold.lasted_s)}" if hold.is_least else duration(hold.lasted_s)


def cost_in_words(pod_s: float, kind: str) -> str:
    """`; 14 pod-minutes missing`: pods times minutes, nothing if that rounds to none or is unknown."""
    minutes = round(pod_s / 60)
    return f"; {counted(minutes, 'pod-minute')} {kind}" if minutes and kind else ""


_COSTS = {
    "memory": "more than the metrics asked for",
    "down_forbidden": "more than the metrics asked for",
    "up_window": "missing",
    "unready": "missing",
    "up_forbidden": "missing",
    "max_replicas": "missing",
    "up_policy": "missing",
    "up_limit": "missing",
    "up_disabled": "missing",
    "down_policy": "more than the metrics asked for",
    "down_disabled": "more than the metrics asked for",
}
"""What the replicas of a hold are that differ from what its metrics asked for."""


def costs_pods(cause: str) -> bool:
    """True if a hold of this cause costs pods that are missing."""
    return _COSTS.get(cause) == "missing"


def during(times: Finding | Hold, clock: Clock) -> str:
    """`between 15:01:22Z and 15:06:08Z`, or `at 15:01:22Z`."""
    first, last = clock(times.first_us), clock(times.last_us)
    return f"at {first}" if first == last else f"between {first} and {last}"
