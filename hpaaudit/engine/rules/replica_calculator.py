"""Proposes a number of replicas for one metric, from its usage, its target and the pods behind it.

Upstream: `replica_calculator.go`, `ReplicaCalculator`, and `metrics/utilization.go`. The idea is one line,
`ceil(ratio * pods)`. Everything else guards it: against pods of which little is known, against changes that are too
small, and against a result that moves against its own ratio.
"""

import math
from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import (
    MAX_INT64,
    TWO_63,
    ceil,
    divide_float,
    divide_int,
    replica_count,
    to_int64,
    wrap32,
    wrap64,
)
from hpaaudit.engine.rules.tolerance import Tolerance, keeps_replicas, outside, within

FULL_PERCENT = 100

# Why there is no proposal.
NO_PROBLEM = 0
NO_PODS = 1
NO_SAMPLES = 2
NO_REQUESTS = 3
BAD_REQUEST = 4

# What filling in missing and unready pods did to the proposal.
UNADJUSTED = 0
DAMPED_INTO_TOLERANCE = 1
DIRECTION_FLIP_HOLD = 2
COUNT_FLIP_HOLD = 3
UNREADY_AS_ZERO_UP = 4
MISSING_AS_ZERO_UP = 5
MISSING_AS_FULL_DOWN = 6
ADJUST_CODES = (
    "adjust.none",
    "adjust.damped_into_tolerance",
    "adjust.direction_flip_hold",
    "adjust.count_flip_hold",
    "adjust.unready_as_zero_up",
    "adjust.missing_as_zero_up",
    "adjust.missing_as_full_down",
)


class Target(NamedTuple):
    """What a metric aims at.

    amount       milli, or percent of the requests
    tolerance    how far the usage may be from it
    is_external  the metric is External, not Object
    """

    amount: int
    tolerance: Tolerance
    is_external: bool


class PodCount(NamedTuple):
    """How many pods the selector matches, and how many of them are Running with Ready=True."""

    listed: int
    running: int


class Proposal(NamedTuple):
    """The proposal of one metric.

    problem   NO_PROBLEM, or why there is no number: then nothing else is set
    current   the usage in milli, as the status publishes it;  percent   of the requests, 0 where that is not asked
    ratio     usage against target;  adjusted   the same with missing and unready pods, NaN where none were filled in
    adjust    what filling them in did
    inside    the tolerance was asked about `ratio`, and it was inside
    alike     the replicas if missing and unready pods had used as much as the others
    """

    problem: int
    replicas: int
    current: int
    percent: int
    ratio: float
    adjusted: float
    adjust: int
    inside: bool
    alike: int


class Tally(NamedTuple):
    """The pods of one metric, counted and summed. Sums wrap as int64.

    listed    pods of the selector;  ready, unready, missing, ignored   how they are grouped
    counted   samples that count, also those of pods that the pod lister does not have;  usage   their sum
    own       samples of listed pods;  own_usage   their sum;  own_requests   what these pods request
    missing_requests, missing_usage   of missing pods: what they request, and count as on the way down
    unready_requests                  of unready pods: what they request
    """

    listed: int
    ready: int
    unready: int
    missing: int
    ignored: int
    counted: int
    usage: int
    own: int
    own_usage: int
    own_requests: int
    missing_requests: int
    missing_usage: int
    unready_requests: int


class Refill(NamedTuple):
    """A metric whose missing and unready pods were filled in.

    ratio, refilled   the usage ratio without and with these pods
    samples           how many pods make up `refilled`
    fills_unready     unready pods were filled in as well
    is_guarded        a number that moves against its ratio keeps the replicas
    """

    ratio: float
    refilled: float
    samples: int
    fills_unready: bool
    is_guarded: bool


def refused(problem: int) -> Proposal:
    """No proposal, for this reason."""
    return Proposal(problem, 0, 0, 0, math.nan, math.nan, UNADJUSTED, inside=False, alike=0)


def resource_replicas(  # noqa: PLR0911 (each problem is a return, in upstream's order)
    tally: Tally, target: Target, current: int, has_bad_request: bool, behaviours: Behaviours
) -> Proposal:
    """The proposal for a utilization: usage in percent of what the pods request.

    has_bad_request   the request of a listed pod is missing

    Only listed pods with a sample count, so that usage and requests are of the same pods. Since 1.26 missing samples
    are found before missing requests; only the error's text shows it.

    Upstream: `replica_calculator.go`, `GetResourceReplicas`.
    """
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0 and (behaviours.samples_before_requests or not has_bad_request):
        return refused(NO_SAMPLES)
    if has_bad_request:
        return refused(BAD_REQUEST)
    if tally.own_requests == 0:
        return refused(NO_REQUESTS)
    percent = utilization_percent(tally.own_usage, tally.own_requests)
    ratio = usage_ratio(percent, target.amount)
    average = divide_int(tally.own_usage, tally.own)
    fills_unready = counts_unready(tally.unready, ratio)
    if not fills_unready and tally.missing == 0:
        replicas, inside = _unfilled(tally.ready, current, ratio, target.tolerance, behaviours.replicas_capped)
        return Proposal(NO_PROBLEM, replicas, average, percent, ratio, math.nan, UNADJUSTED, inside, replicas)
    usage, requests, samples = tally.own_usage, tally.own_requests, tally.counted
    if ratio != 1.0 and not math.isnan(ratio):
        requests, samples = wrap64(requests + tally.missing_requests), samples + tally.missing
        if ratio < 1.0:
            usage = wrap64(usage + tally.missing_usage)
    if fills_unready:
        requests, samples = wrap64(requests + tally.unready_requests), samples + tally.unready
    if requests == 0:
        return refused(NO_REQUESTS)
    refilled = usage_ratio(utilization_percent(usage, requests), target.amount)
    refill = Refill(ratio, refilled, samples, fills_unready, behaviours.utilization_guard)
    replicas, adjust = _refilled(refill, current, target.tolerance, behaviours.replicas_capped)
    alike, _ = _unfilled(_pods(tally), current, ratio, target.tolerance, behaviours.replicas_capped)
    return Proposal(NO_PROBLEM, replicas, average, percent, ratio, refilled, adjust, inside=False, alike=alike)


def plain_metric_replicas(tally: Tally, target: Target, current: int, behaviours: Behaviours) -> Proposal:
    """The proposal for an average: usage for each pod against the target.

    Unlike for a utilization, samples of pods that the pod lister does not have count too.

    Upstream: `replica_calculator.go`, `calcPlainMetricReplicas`, for Pods metrics and average values of resources.
    """
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0:
        return refused(NO_SAMPLES)
    average = divide_int(tally.usage, tally.counted)
    ratio = usage_ratio(average, target.amount)
    fills_unready = counts_unready(tally.unready, ratio)
    if not fills_unready and tally.missing == 0:
        replicas, inside = _unfilled(tally.ready, current, ratio, target.tolerance, behaviours.replicas_capped)
        return Proposal(NO_PROBLEM, replicas, average, 0, ratio, math.nan, UNADJUSTED, inside, replicas)
    usage, samples = tally.usage, tally.counted
    if ratio < 1.0:
        usage, samples = wrap64(usage + wrap64(target.amount * tally.missing)), samples + tally.missing
    elif ratio > 1.0 or not behaviours.exact_ratio_fills_nothing:
        # Until 1.27 missing pods counted as idle also at a ratio of exactly 1, which scaled down (#117845).
        samples += tally.missing
    if fills_unready:
        samples += tally.unready
    refilled = usage_ratio(divide_int(usage, samples), target.amount)
    refill = Refill(ratio, refilled, samples, fills_unready, behaviours.plain_guard)
    replicas, adjust = _refilled(refill, current, target.tolerance, behaviours.replicas_capped)
    alike, _ = _unfilled(_pods(tally), current, ratio, target.tolerance, behaviours.replicas_capped)
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, refilled, adjust, inside=False, alike=alike)


def _pods(tally: Tally) -> int:
    """The pods that a proposal is about, measured or not."""
    return tally.ready + tally.unready + tally.missing


def _unfilled(ready: int, current: int, ratio: float, tolerance: Tolerance, is_capped: bool) -> tuple[int, bool]:
    """The replicas where every pod is measured: the ratio alone decides. And whether it is inside the tolerance."""
    inside = within(ratio, tolerance)
    return current if inside else replicas_for_ratio(ratio, ready, is_capped), inside


def _refilled(refill: Refill, current: int, tolerance: Tolerance, is_capped: bool) -> tuple[int, int]:
    """The replicas after missing and unready pods were filled in, and what that did.

    The guard is there because the count of samples changes with the pods that are filled in: the ratio may ask for more
    while ratio times samples is fewer than there are. Utilizations have it since 1.18 and late patches of 1.15 to 1.17
    (#85027), averages since 1.21 (#89465).
    """
    if keeps_replicas(refill.ratio, refill.refilled, tolerance):
        return current, DAMPED_INTO_TOLERANCE if within(refill.refilled, tolerance) else DIRECTION_FLIP_HOLD
    replicas = replicas_for_ratio(refill.refilled, refill.samples, is_capped)
    if refill.is_guarded and against_ratio(refill.refilled, replicas, current):
        return current, COUNT_FLIP_HOLD
    if refill.fills_unready:
        return replicas, UNREADY_AS_ZERO_UP
    return replicas, MISSING_AS_ZERO_UP if refill.ratio > 1.0 else MISSING_AS_FULL_DOWN


def usage_ratio_replicas(usage: int, target: Target, current: int, pods: PodCount, behaviours: Behaviours) -> Proposal:
    """The proposal for an Object or External value: the usage ratio times the ready pods.

    At zero replicas there are no pods to multiply, so the ratio itself is the number, without a tolerance: that is how
    a target leaves zero.

    Until 1.15 an External value looked for pods before it asked the tolerance. Since 1.35 (#126979) a number above
    int32 is the largest, except at zero replicas; since 1.38 (#141397) there as well.

    Upstream: `replica_calculator.go`, `getUsageRatioReplicaCount`.
    """
    ratio = usage_ratio(usage, target.amount)
    inside = current != 0 and within(ratio, target.tolerance)
    pods_first = target.is_external and not behaviours.value_before_pods
    if current == 0:
        replicas = replicas_for_ratio(ratio, 1, behaviours.replicas_capped)
    elif pods.listed == 0 and (pods_first or not inside):
        return refused(NO_PODS)
    elif inside:
        replicas = current
    else:
        replicas = replicas_for_ratio(ratio, pods.running, behaviours.value_clamped or behaviours.replicas_capped)
    return Proposal(NO_PROBLEM, replicas, usage, 0, ratio, math.nan, UNADJUSTED, inside, replicas)


def per_pod_replicas(usage: int, target: Target, status_replicas: int, behaviours: Behaviours) -> Proposal:
    """The proposal for an Object or External average: the usage against the target times `status.replicas`.

    The pods themselves do not count. In 1.14 an Object average had no tolerance. Since 1.34 (#127050) an External
    average above int32 or int64 is the largest.

    Upstream: `replica_calculator.go`, `GetObjectPerPodMetricReplicas`, `GetExternalPerPodMetricReplicas`.
    """
    ratio = per_pod_ratio(usage, target.amount, status_replicas)
    has_tolerance = target.is_external or behaviours.object_average_tolerance
    is_clamped = target.is_external and behaviours.external_average_clamped
    inside = has_tolerance and not outside(ratio, target.tolerance)
    if not has_tolerance:
        replicas = replicas_without_tolerance(usage, target.amount)
    elif inside:
        replicas = status_replicas
    else:
        replicas = replicas_for_usage(usage, target.amount, is_clamped or behaviours.replicas_capped)
    average = per_pod_average(usage, status_replicas, is_clamped, behaviours.total_at_zero)
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, math.nan, UNADJUSTED, inside, replicas)


def utilization_percent(total: int, requests: int) -> int:
    """Usage as whole percent of the requests, truncated.

    The usage ratio is made from this number: 50.9 % are 50 %, and meet a target of 50 exactly.

    Upstream: `metrics/utilization.go`, `GetResourceUtilizationRatio`: `int32((metricsTotal * 100) / requestsTotal)`.
    """
    return wrap32(divide_int(wrap64(total * FULL_PERCENT), requests))


def usage_ratio(current: int, target: int) -> float:
    """Usage against target. Upstream: `metrics/utilization.go`, `GetMetricUsageRatio`."""
    return divide_float(float(current), float(target))


def counts_unready(unready: int, ratio: float) -> bool:
    """True if unready pods count, as idle: on the way up only.

    They will take a part of the load as soon as they are ready, so fewer new pods are needed. On the way down they are
    left out: an idle pod would let more pods go. Upstream: `scaleUpWithUnready` in `GetResourceReplicas`.
    """
    return unready > 0 and ratio > 1.0


def missing_utilization(request: int, target: int, up_to_target: bool) -> int:
    """The usage that a missing pod counts as on the way down: everything that it may use.

    That is its request. If the target is above 100 %, it is that many percent of the request (1.26, #112178). A metric
    that is lost must not scale anything down. Upstream: `fallbackUtilization` in `GetResourceReplicas`.
    """
    if not up_to_target:
        return request
    percent = max(FULL_PERCENT, target)
    return divide_int(wrap64(request * percent), FULL_PERCENT)


def replicas_for_ratio(ratio: float, pods: int, is_capped: bool) -> int:
    """As many pods as bring a usage ratio of these pods to 1. Upstream: `math.Ceil(usageRatio * float64(pods))`."""
    return replica_count(ratio * float(pods), is_capped)


def against_ratio(ratio: float, replicas: int, current: int) -> bool:
    """True if the number contradicts its ratio: more pods though the ratio is below 1, or fewer though it is above."""
    return (ratio < 1.0 and replicas > current) or (ratio > 1.0 and replicas < current)


def per_pod_ratio(usage: int, target: int, status_replicas: int) -> float:
    """Usage against what `status.replicas` pods should carry together."""
    return divide_float(float(usage), float(target) * float(status_replicas))


def replicas_for_usage(usage: int, target: int, is_capped: bool) -> int:
    """As many pods as carry the usage if each is at its target."""
    return replica_count(divide_float(float(usage), float(target)), is_capped)


def replicas_without_tolerance(usage: int, target: int) -> int:
    """The replicas for an Object average in 1.14: its ratio divides by zero, so it never is inside the tolerance."""
    return replicas_for_usage(usage, target, is_capped=False) if usage else 0


def per_pod_average(usage: int, status_replicas: int, is_clamped: bool, total_at_zero: bool) -> int:
    """The average that the status publishes, rounded up.

    is_clamped      above int64 it is the largest (External, 1.34, #127050)
    total_at_zero   at zero replicas it is the total (1.38, #140958); before, the total was divided by zero
    """
    if is_clamped and float(usage) >= TWO_63:
        return MAX_INT64
    if total_at_zero and status_replicas == 0:
        return usage
    return to_int64(ceil(divide_float(float(usage), float(status_replicas))))


def overflows(total: int, value: int) -> bool:
    """True if adding a positive value goes beyond int64: then an External sum is the largest (1.35, #126979).

    Upstream: `replica_calculator.go`, `GetExternalMetricReplicas`.
    """
    return value > 0 and total > MAX_INT64 - value
