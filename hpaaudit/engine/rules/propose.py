"""Proposes a number of replicas from a usage, a target and the pods behind it (`replica_calculator`)."""

import math
from typing import NamedTuple

from hpaaudit.engine.rules.numbers import (
    MAX_INT64,
    TWO_63,
    ceil,
    count_of,
    cut,
    divide,
    to_int64,
    wrap32,
    wrap64,
)

FULL_PERCENT = 100

NO_PROBLEM = 0
NO_PODS = 1
NO_SAMPLES = 2
NO_REQUESTS = 3
BAD_REQUEST = 4

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


class Proposal(NamedTuple):
    """What one metric came to.

    problem   NO_PROBLEM, or why there is no number: then nothing else is told
    current   milli;  percent   of the requests, zero where usage is no utilization
    adjusted  the ratio after missing and unready pods were filled in, not a number where none were
    inside    the tolerance was asked about `ratio`, and it was inside
    """

    problem: int
    replicas: int
    current: int
    percent: int
    ratio: float
    adjusted: float
    adjust: int
    inside: bool


class Tally(NamedTuple):
    """The pods of one metric, counted and summed; sums wrap as int64.

    listed    pods of the selector, ready, unready, missing and ignored
    counted   samples that count, also those of pods that are not listed; `usage` is their sum
    own       those of listed pods; `own_usage` their sum, `own_requests` what these pods request
    missing_requests, missing_usage   of pods without a sample: their requests, and what they count as on the way down
    unready_requests                  of unready pods
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


class Bounds(NamedTuple):
    """The tolerance of both directions, `inclusive` as of 1.33; `capped`: beyond int32 stands its largest (1.38)."""

    down: float
    up: float
    inclusive: bool
    capped: bool


def refused(problem: int) -> Proposal:
    """No number, for this reason."""
    return Proposal(problem, 0, 0, 0, math.nan, math.nan, UNADJUSTED, inside=False)


def utilization(
    tally: Tally, target: int, current: int, bounds: Bounds, guarded: bool, bad_request: bool, samples_first: bool
) -> Proposal:
    """Usage in percent of what the pods request (`GetResourceReplicas`).

    guarded         a refilled utilization never moves against its ratio
    bad_request     the request of a listed pod cannot be had
    samples_first   no samples is found before that (1.26)
    """
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0 and (samples_first or not bad_request):
        return refused(NO_SAMPLES)
    if bad_request:
        return refused(BAD_REQUEST)
    if tally.own_requests == 0:
        return refused(NO_REQUESTS)
    percent = utilization_percent(tally.own_usage, tally.own_requests)
    ratio = usage_ratio(percent, target)
    average = cut(tally.own_usage, tally.own)
    rescue = rescues_unready(tally.unready, ratio)
    if not rescue and tally.missing == 0:
        return _unfilled(tally.ready, current, average, percent, ratio, bounds)
    usage, requests, samples = tally.own_usage, tally.own_requests, tally.counted
    if ratio != 1.0 and not math.isnan(ratio):
        requests, samples = wrap64(requests + tally.missing_requests), samples + tally.missing
        if ratio < 1.0:
            usage = wrap64(usage + tally.missing_usage)
    if rescue:
        requests, samples = wrap64(requests + tally.unready_requests), samples + tally.unready
    if requests == 0:
        return refused(NO_REQUESTS)
    second = usage_ratio(utilization_percent(usage, requests), target)
    replicas, adjust = _refilled(ratio, second, samples, current, rescue, guarded, bounds)
    return Proposal(NO_PROBLEM, replicas, average, percent, ratio, second, adjust, inside=False)


def plain(
    tally: Tally, target: int, current: int, bounds: Bounds, guarded: bool, exact_ratio_fills_nothing: bool
) -> Proposal:
    """Average usage against a target each (`calcPlainMetricReplicas`); samples of unlisted pods count too."""
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0:
        return refused(NO_SAMPLES)
    average = cut(tally.usage, tally.counted)
    ratio = usage_ratio(average, target)
    rescue = rescues_unready(tally.unready, ratio)
    if not rescue and tally.missing == 0:
        return _unfilled(tally.ready, current, average, 0, ratio, bounds)
    usage, samples = tally.usage, tally.counted
    if ratio < 1.0:
        usage, samples = wrap64(usage + wrap64(target * tally.missing)), samples + tally.missing
    elif ratio > 1.0 or not exact_ratio_fills_nothing:
        samples += tally.missing
    if rescue:
        samples += tally.unready
    second = usage_ratio(cut(usage, samples), target)
    replicas, adjust = _refilled(ratio, second, samples, current, rescue, guarded, bounds)
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, second, adjust, inside=False)


def _unfilled(ready: int, current: int, average: int, percent: int, ratio: float, bounds: Bounds) -> Proposal:
    """Every pod is measured: the ratio alone decides."""
    inside = within(ratio, bounds.down, bounds.up, bounds.inclusive)
    replicas = current if inside else replicas_of(ratio, ready, bounds.capped)
    return Proposal(NO_PROBLEM, replicas, average, percent, ratio, math.nan, UNADJUSTED, inside)


def _refilled(
    first: float, second: float, samples: int, current: int, rescue: bool, guarded: bool, bounds: Bounds
) -> tuple[int, int]:
    """The number of replicas after missing and unready pods were filled in, and what that did."""
    if holds(first, second, bounds.down, bounds.up, bounds.inclusive):
        inside = within(second, bounds.down, bounds.up, bounds.inclusive)
        return current, DAMPED_INTO_TOLERANCE if inside else DIRECTION_FLIP_HOLD
    replicas = replicas_of(second, samples, bounds.capped)
    if guarded and against_direction(second, replicas, current):
        return current, COUNT_FLIP_HOLD
    if rescue:
        return replicas, UNREADY_AS_ZERO_UP
    return replicas, MISSING_AS_ZERO_UP if first > 1.0 else MISSING_AS_FULL_DOWN


def value(
    usage: int, target: int, current: int, listed: int, running: int, bounds: Bounds, pods_first: bool, clamped: bool
) -> Proposal:
    """Object Value and External value: the ratio times the ready pods (`getUsageRatioReplicaCount`).

    listed, running   pods of the selector, and those of them that are Running with Ready=True
    pods_first        an External value looked for pods before it tested the tolerance (until 1.15)
    clamped           beyond int32 stands its largest, but at zero replicas (1.35)
    """
    ratio = usage_ratio(usage, target)
    inside = current != 0 and within(ratio, bounds.down, bounds.up, bounds.inclusive)
    if current == 0:
        replicas = replicas_of(ratio, 1, bounds.capped)
    elif listed == 0 and (pods_first or not inside):
        return refused(NO_PODS)
    elif inside:
        replicas = current
    else:
        replicas = replicas_of(ratio, running, clamped or bounds.capped)
    return Proposal(NO_PROBLEM, replicas, usage, 0, ratio, math.nan, UNADJUSTED, inside)


def per_pod(
    usage: int,
    target: int,
    status_replicas: int,
    bounds: Bounds,
    clamped: bool,
    tolerant: bool,
    total_at_zero: bool,
) -> Proposal:
    """Object and External average values: against `status.replicas`, pods are not looked at.

    clamped         beyond int32 and int64 stands their largest (External since 1.34)
    tolerant        there is a tolerance: an Object average of 1.14 has none
    total_at_zero   without replicas status publishes the total (1.38)
    """
    ratio = per_pod_ratio(usage, target, status_replicas)
    inside = tolerant and not outside(ratio, bounds.down, bounds.up, bounds.inclusive)
    if not tolerant:
        replicas = per_pod_replicas_unheld(usage, target)
    elif inside:
        replicas = status_replicas
    else:
        replicas = per_pod_replicas(usage, target, clamped or bounds.capped)
    average = per_pod_status(usage, status_replicas, clamped, total_at_zero)
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, math.nan, UNADJUSTED, inside)


def within(ratio: float, down: float, up: float, inclusive: bool) -> bool:
    """Inside the tolerance, both ends included (1.33).

    Before, one distance from one was compared: 1.1 is farther from one than 0.1 in doubles.
    """
    if inclusive:
        return (1.0 - down) <= ratio <= (1.0 + up)
    return abs(1.0 - ratio) <= down


def outside(ratio: float, down: float, up: float, inclusive: bool) -> bool:
    """Outside the tolerance: the opposite, but for what is not a number, which was inside before 1.33."""
    if inclusive:
        return not within(ratio, down, up, inclusive)
    return abs(1.0 - ratio) > down


def utilization_percent(total: int, requests: int) -> int:
    """Usage as whole percent of the requests, cut; the ratio is made from this."""
    return wrap32(cut(wrap64(total * FULL_PERCENT), requests))


def usage_ratio(current: int, target: int) -> float:
    """Usage against target."""
    return divide(float(current), float(target))


def rescues_unready(unready: int, ratio: float) -> bool:
    """On the way up unready pods count, as idle."""
    return unready > 0 and ratio > 1.0


def missing_utilization(request: int, target: int, up_to_target: bool) -> int:
    """What a pod without a sample counts as on the way down: all that it may use (1.26), or its request."""
    if not up_to_target:
        return request
    percent = max(FULL_PERCENT, target)
    return cut(wrap64(request * percent), FULL_PERCENT)


def replicas_of(ratio: float, pods: int, capped: bool) -> int:
    """As many pods as bring the ratio to one; `capped`: at most the largest int32 (Value targets since 1.35)."""
    return count_of(ratio * float(pods), capped)


def holds(first: float, second: float, down: float, up: float, inclusive: bool) -> bool:
    """After filling in, the ratio is inside the tolerance or on the other side of one."""
    return within(second, down, up, inclusive) or (first < 1.0 < second) or (first > 1.0 > second)


def against_direction(ratio: float, replicas: int, current: int) -> bool:
    """The count would move against its ratio: more pods on the way down or fewer on the way up."""
    return (ratio < 1.0 and replicas > current) or (ratio > 1.0 and replicas < current)


def per_pod_ratio(usage: int, target: int, status_replicas: int) -> float:
    """Usage against what `status.replicas` pods should carry together."""
    return divide(float(usage), float(target) * float(status_replicas))


def per_pod_replicas(usage: int, target: int, capped: bool) -> int:
    """As many pods as carry the usage at the target each; `capped`: at most the largest int32 (External since 1.34)."""
    return count_of(divide(float(usage), float(target)), capped)


def per_pod_replicas_unheld(usage: int, target: int) -> int:
    """As 1.14 computed an Object average: its ratio divides by zero, so nothing is ever inside the tolerance."""
    return per_pod_replicas(usage, target, capped=False) if usage else 0


def per_pod_status(usage: int, status_replicas: int, clamped: bool, total_at_zero: bool) -> int:
    """What status publishes as the average; an external one beyond int64 as the largest (1.34)."""
    if clamped and float(usage) >= TWO_63:
        return MAX_INT64
    if total_at_zero and status_replicas == 0:
        return usage
    return to_int64(ceil(divide(float(usage), float(status_replicas))))


def overflows(total: int, value: int) -> bool:
    """Whether adding a positive value goes beyond int64 (External value since 1.35)."""
    return value > 0 and total > MAX_INT64 - value
