"""Proposes a number of replicas from a usage, a target and the pods behind it (`replica_calculator`)."""

import math
from typing import NamedTuple

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.rules.go_numbers import (
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
from hpaaudit.engine.rules.tolerance import Tolerance, holds, outside, within

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


def refused(problem: int) -> Proposal:
    """No number, for this reason."""
    return Proposal(problem, 0, 0, 0, math.nan, math.nan, UNADJUSTED, inside=False)


def utilization(
    tally: Tally, target: int, current: int, tolerance: Tolerance, bad_request: bool, rules: Rules
) -> Proposal:
    """Usage in percent of what the pods request (`GetResourceReplicas`).

    bad_request   the request of a listed pod cannot be had; since 1.26 no samples at all are found before that

    Only pods that are listed and measured are compared with requests, so usage and requests are of the same pods.
    """
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0 and (rules.samples_before_requests or not bad_request):
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
        return _unfilled(tally.ready, current, average, percent, ratio, tolerance, rules.replicas_capped)
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
    replicas, adjust = _refilled(
        ratio, second, samples, current, rescue, rules.utilization_guard, tolerance, rules.replicas_capped
    )
    return Proposal(NO_PROBLEM, replicas, average, percent, ratio, second, adjust, inside=False)


def plain(tally: Tally, target: int, current: int, tolerance: Tolerance, rules: Rules) -> Proposal:
    """Average usage against a target each (`calcPlainMetricReplicas`); samples of unlisted pods count too.

    At a ratio of exactly one nothing is filled in (1.28, #117845); before, missing pods counted as idle.
    """
    if tally.listed == 0:
        return refused(NO_PODS)
    if tally.counted == 0:
        return refused(NO_SAMPLES)
    average = cut(tally.usage, tally.counted)
    ratio = usage_ratio(average, target)
    rescue = rescues_unready(tally.unready, ratio)
    if not rescue and tally.missing == 0:
        return _unfilled(tally.ready, current, average, 0, ratio, tolerance, rules.replicas_capped)
    usage, samples = tally.usage, tally.counted
    if ratio < 1.0:
        usage, samples = wrap64(usage + wrap64(target * tally.missing)), samples + tally.missing
    elif ratio > 1.0 or not rules.exact_ratio_fills_nothing:
        samples += tally.missing
    if rescue:
        samples += tally.unready
    second = usage_ratio(cut(usage, samples), target)
    replicas, adjust = _refilled(
        ratio, second, samples, current, rescue, rules.plain_guard, tolerance, rules.replicas_capped
    )
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, second, adjust, inside=False)


def _unfilled(
    ready: int, current: int, average: int, percent: int, ratio: float, tolerance: Tolerance, capped: bool
) -> Proposal:
    """Every pod is measured: the ratio alone decides."""
    inside = within(ratio, tolerance)
    replicas = current if inside else replicas_of(ratio, ready, capped)
    return Proposal(NO_PROBLEM, replicas, average, percent, ratio, math.nan, UNADJUSTED, inside)


def _refilled(
    first: float,
    second: float,
    samples: int,
    current: int,
    rescue: bool,
    guarded: bool,
    tolerance: Tolerance,
    capped: bool,
) -> tuple[int, int]:
    """The number of replicas after missing and unready pods were filled in, and what that did.

    guarded   a number that moves against its ratio holds instead (utilization since 1.18, #85027; averages since 1.21,
              #89465): with few samples the count may fall although the ratio asks for more
    """
    if holds(first, second, tolerance):
        return current, DAMPED_INTO_TOLERANCE if within(second, tolerance) else DIRECTION_FLIP_HOLD
    replicas = replicas_of(second, samples, capped)
    if guarded and against_direction(second, replicas, current):
        return current, COUNT_FLIP_HOLD
    if rescue:
        return replicas, UNREADY_AS_ZERO_UP
    return replicas, MISSING_AS_ZERO_UP if first > 1.0 else MISSING_AS_FULL_DOWN


def value(
    usage: int, target: int, current: int, listed: int, running: int, tolerance: Tolerance, external: bool, rules: Rules
) -> Proposal:
    """Object Value and External value: the ratio times the ready pods (`getUsageRatioReplicaCount`).

    listed, running   pods of the selector, and those of them that are Running with Ready=True

    Until 1.15 an External value looked for pods before it tested the tolerance. Beyond int32 stands its largest since
    1.35 (#126979), but at zero replicas.
    """
    ratio = usage_ratio(usage, target)
    inside = current != 0 and within(ratio, tolerance)
    pods_first = external and not rules.value_before_pods
    if current == 0:
        replicas = replicas_of(ratio, 1, rules.replicas_capped)
    elif listed == 0 and (pods_first or not inside):
        return refused(NO_PODS)
    elif inside:
        replicas = current
    else:
        replicas = replicas_of(ratio, running, rules.value_clamped or rules.replicas_capped)
    return Proposal(NO_PROBLEM, replicas, usage, 0, ratio, math.nan, UNADJUSTED, inside)


def per_pod(
    usage: int, target: int, status_replicas: int, tolerance: Tolerance, external: bool, rules: Rules
) -> Proposal:
    """Object and External average values: against `status.replicas`, pods are not looked at.

    Upstream: `GetObjectPerPodMetricReplicas`, `GetExternalPerPodMetricReplicas`. An Object average of 1.14 has no
    tolerance. Of an External one, what is beyond int32 and int64 becomes their largest (1.34, #127050).
    """
    ratio = per_pod_ratio(usage, target, status_replicas)
    tolerant, clamped = external or rules.object_average_tolerance, external and rules.external_average_clamped
    inside = tolerant and not outside(ratio, tolerance)
    if not tolerant:
        replicas = per_pod_replicas_unheld(usage, target)
    elif inside:
        replicas = status_replicas
    else:
        replicas = per_pod_replicas(usage, target, clamped or rules.replicas_capped)
    average = per_pod_status(usage, status_replicas, clamped, rules.total_at_zero)
    return Proposal(NO_PROBLEM, replicas, average, 0, ratio, math.nan, UNADJUSTED, inside)


def utilization_percent(total: int, requests: int) -> int:
    """Usage as whole percent of the requests, cut; the ratio is made from this (`GetResourceUtilizationRatio`).

    So 50.9 % are 50 %: a target of 50 is met exactly.
    """
    return wrap32(cut(wrap64(total * FULL_PERCENT), requests))


def usage_ratio(current: int, target: int) -> float:
    """Usage against target (`GetMetricUsageRatio`)."""
    return divide(float(current), float(target))


def rescues_unready(unready: int, ratio: float) -> bool:
    """Whether unready pods count: on the way up only, and as idle.

    They will take a part of the load as soon as they are ready, so that fewer new ones are needed.
    """
    return unready > 0 and ratio > 1.0


def missing_utilization(request: int, target: int, up_to_target: bool) -> int:
    """What a pod without a sample counts as on the way down: all that it may use.

    That is its request, or, where the target is above 100 %, so many percent of it (1.26, #112178): a metric that is
    lost must not scale anything down.
    """
    if not up_to_target:
        return request
    percent = max(FULL_PERCENT, target)
    return cut(wrap64(request * percent), FULL_PERCENT)


def replicas_of(ratio: float, pods: int, capped: bool) -> int:
    """As many pods as bring the ratio to one; `capped`: at most the largest int32 (Value targets since 1.35)."""
    return count_of(ratio * float(pods), capped)


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
