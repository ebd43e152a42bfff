"""What 1.1 to 1.5 computed of a metric, before the replica calculator did.

Up to 1.4 that is the average over all pods of which there must be a sample; a custom metric of 1.5 has the replica
calculator, but with floats. Upstream: `horizontal.go`, `computeReplicasForCPUUtilization` and
`computeReplicasForCustomMetrics`; `metrics/metrics_client.go`; in 1.5 `replica_calculator.go`, `GetMetricReplicas`.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import (
    MAX_INT32,
    MIN_INT32,
    NONE,
    ceil,
    divide_float,
    divide_int,
    to_int32,
    to_int64,
    wrap32,
    wrap64,
)
from hpaaudit.engine.rules.replica_calculator import FULL_PERCENT, counts_unready, replicas_for_ratio
from hpaaudit.engine.rules.tolerance import Tolerance, keeps_replicas, within

# The phase of a pod, as far as these releases ask it.
OTHER_PHASE = 0
PENDING = 1
RUNNING = 2


class Averaged(NamedTuple):
    """The proposal of an average: the replicas, and its ratio to the target."""

    replicas: int
    ratio: float


class FloatTally(NamedTuple):
    """The pods of a custom metric in 1.5, counted and summed.

    unready, missing, ready   of the pods that were listed
    counted   samples that count, also those of pods that are no longer listed;  usage   their sum
    filled    the same sum with missing pods at the target

    Both sums are made in the order of names. Upstream adds in the order of a map.
    """

    ready: int
    unready: int
    missing: int
    counted: int
    usage: float
    filled: float


class FloatAverage(NamedTuple):
    """The average of a custom metric in 1.5, with its proposal."""

    replicas: int
    average: float
    ratio: float


class Highest(NamedTuple):
    """The highest proposal so far, 0 before the first, and the index of the metric that made it, NONE without one."""

    replicas: int
    winner: int


NOTHING_PROPOSED = Highest(0, NONE)


def with_proposal(highest: Highest, index: int, replicas: int) -> Highest:
    """The highest proposal after one more metric: only more than there is wins.

    Of metrics that all propose 0 the first is the winner. That is ours: upstream names none then.
    """
    if replicas > highest.replicas or (replicas == 0 and highest.winner == NONE):
        return Highest(replicas, index)
    return highest


def fitting(number: int) -> int:
    """A number in 32 bits, as results store it. The controllers of 1.1 and 1.2 computed with 64 bits (`int`)."""
    return max(min(number, MAX_INT32), MIN_INT32)


def is_collected(phase: int, is_cpu: bool, behaviours: Behaviours) -> bool:
    """True if a pod must have a sample.

    All must in 1.1, all but Pending ones since 1.2. Of CPU only Running ones must since 1.4.1 (#33735).
    """
    if behaviours.polls:
        return True
    if is_cpu and behaviours.running_pods_alone:
        return phase == RUNNING
    return phase != PENDING


def average_request(requested: int, collected: int, listed: int, behaviours: Behaviours) -> int:
    """What a pod requests on average.

    Up to 1.4.0 Pending pods make it smaller: they are counted, but not what they request.
    """
    return divide_int(requested, collected if behaviours.running_pods_alone else listed)


def polled_percent(usage: float, request: int) -> int:
    """The usage in percent of the request (1.1). The float is truncated: 29 of 100 is 28 percent."""
    return to_int64(divide_float(usage, float(request)) * FULL_PERCENT)


def percent_of_request(usage: int, request: int) -> int:
    """The usage in percent of the request, which is not 0: then the controller panics (1.2 to 1.4)."""
    return divide_int(wrap64(usage * FULL_PERCENT), request)


def utilization(percent: int, behaviours: Behaviours) -> int:
    """The utilization as the controller keeps it: since 1.3 the low 32 bits of it (`int32(*currentUtilization)`)."""
    return percent if behaviours.full_integers else wrap32(percent)


def multiplied_pods(measured: int, current: int, behaviours: Behaviours) -> int:
    """Which pods the ratio of a CPU utilization multiplies: since 1.4.4 those with a sample, else the current ones."""
    return measured if behaviours.running_pods_multiplied else current


def averaged_replicas(
    ratio: float, current: int, multiplied: int, tolerance: Tolerance, behaviours: Behaviours
) -> Averaged:
    """The proposal of an average; `multiplied` is how many pods its ratio multiplies."""
    if within(ratio, tolerance):
        return Averaged(current, ratio)
    number = ceil(ratio * float(multiplied))
    return Averaged(to_int64(number) if behaviours.full_integers else to_int32(number), ratio)


def float_replicas(tally: FloatTally, target: float, current: int, tolerance: Tolerance) -> FloatAverage:
    """The proposal for a custom metric of which some sample counts (1.5)."""
    average = divide_float(tally.usage, float(tally.counted))
    ratio = divide_float(average, target)
    fills_unready = counts_unready(tally.unready, ratio)
    if not fills_unready and tally.missing == 0:
        inside = within(ratio, tolerance)
        replicas = current if inside else replicas_for_ratio(ratio, tally.ready, is_capped=False)
        return FloatAverage(replicas, average, ratio)
    samples = tally.counted + tally.missing
    if fills_unready:
        samples += tally.unready
    # A pod that counts as idle adds 0 to the sum.
    usage = tally.filled if ratio < 1.0 else tally.usage
    refilled = divide_float(divide_float(usage, float(samples)), target)
    if keeps_replicas(ratio, refilled, tolerance):
        return FloatAverage(current, average, ratio)
    return FloatAverage(replicas_for_ratio(refilled, samples, is_capped=False), average, ratio)
