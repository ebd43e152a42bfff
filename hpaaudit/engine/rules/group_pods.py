"""Groups the pods of a metric into ready, unready, missing and ignored.

An unready pod counts as idle on the way up, and not at all on the way down. A missing one, which has no sample, counts
as idle on the way up and as fully used on the way down. An ignored one never counts. So pods of which little is known
never move the replicas further than the measured pods alone would. Upstream: `replica_calculator.go`, `groupPods`.
"""

from typing import NamedTuple

READY = 0
UNREADY = 1
MISSING = 2
IGNORED = 3

UNREADY_PENDING = 10
UNREADY_NO_CONDITION = 11
UNREADY_INITIALIZING = 12
UNREADY_OLD_SAMPLE = 13
UNREADY_NEVER_READY = 14


class Readiness(NamedTuple):
    """The readiness of a pod.

    is_known        the pod has a Ready condition and a start time
    is_false        Ready is False
    start_us        when the pod started;  transition_us   when its Ready condition last changed
    """

    is_known: bool
    is_false: bool
    start_us: int
    transition_us: int


class Sampled(NamedTuple):
    """When a usage was measured, and over how long a time before that."""

    at_us: int
    window_us: int


class ReadinessPeriods(NamedTuple):
    """The controller's flags for starting pods.

    initialization_us   `--horizontal-pod-autoscaler-cpu-initialization-period`: until then CPU may be that of a start
    delay_us            `--horizontal-pod-autoscaler-initial-readiness-delay`: a pod whose Ready condition last changed
                        within it after the start was never ready
    """

    initialization_us: int
    delay_us: int


def group(is_ignored: bool, is_pending: bool, has_sample: bool, pending_is_unready: bool) -> int:
    """The group of a pod. Of a CPU metric READY is not final: `group_cpu` comes next.

    is_ignored           the pod is being deleted or has failed; since 1.38 (#141302) also: has succeeded
    pending_is_unready   a pending pod is unready (1.16, #79657); before, it was missing like any pod without a sample
    """
    if is_ignored:
        return IGNORED
    if is_pending and pending_is_unready:
        return UNREADY
    if not has_sample:
        return MISSING
    return READY


def group_cpu(readiness: Readiness, sampled: Sampled, now_us: int, periods: ReadinessPeriods) -> int:
    """READY, or why a pod with a CPU sample is unready.

    A starting process uses more CPU than it will later, so its usage must not add pods. Other metrics are not asked for
    readiness. All comparisons are strict, as `Time.After` and `Time.Before` are: a period that ends now is over.
    """
    if not readiness.is_known:
        return UNREADY_NO_CONDITION
    if readiness.start_us + periods.initialization_us > now_us:
        if readiness.is_false:
            return UNREADY_INITIALIZING
        # The pod is ready by now, but part of the sample's window is from before.
        if sampled.at_us < readiness.transition_us + sampled.window_us:
            return UNREADY_OLD_SAMPLE
        return READY
    # A pod that was ready before and fails now keeps its sample: the load that broke it is real.
    if readiness.is_false and readiness.start_us + periods.delay_us > readiness.transition_us:
        return UNREADY_NEVER_READY
    return READY


def group_by_readiness(is_ready: bool, has_failed: bool, has_sample: bool, skips_failed: bool) -> int:
    """The group of a pod from 1.5 to 1.11: one that is not Running and Ready now is unready, for every metric.

    skips_failed   a failed pod is ignored (1.10, #60648, utilizations only); before, it was unready, and held a rise

    Upstream: `replica_calculator.go`, `GetResourceReplicas` and `calcPlainMetricReplicas` before #68068.
    """
    if is_ready:
        return READY if has_sample else MISSING
    return IGNORED if skips_failed and has_failed else UNREADY
