"""Limits a recommendation by policies, minReplicas and maxReplicas.

Upstream: `horizontal.go`, `convertDesiredReplicasWithRules`, with a behavior `convertDesiredReplicasWithBehaviorRate`
(1.18).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import MAX_INT32, MIN_INT32, replica_count, to_int32, wrap32

SCALE_UP_LIMIT_FACTOR = 2.0  # upstream's scaleUpLimitFactor
SCALE_UP_LIMIT_MINIMUM = 4.0  # upstream's scaleUpLimitMinimum

# `selectPolicy` of a direction.
SELECT_MAX = 0
SELECT_MIN = 1
SELECT_DISABLED = 2

# What limited the number: the reasons of the condition ScalingLimited.
WITHIN_RANGE = 0
TOO_FEW = 1
TOO_MANY = 2
UP_LIMIT = 3
DOWN_LIMIT = 4

# Types of policies.
PODS = 0
PERCENT = 1


class Limited(NamedTuple):
    """The limited number.

    replicas    the number;  why   what limited it: WITHIN_RANGE and the like
    limit       what the policies allow, 0 where nothing moves, for then no policy is asked
    by_policy   the number after policies, before minReplicas and maxReplicas
    by_bounds   the number after minReplicas and maxReplicas alone
    """

    replicas: int
    why: int
    limit: int
    by_policy: int
    by_bounds: int


class Policies(NamedTuple):
    """The policies of one direction: selectPolicy, and the type, value and period of each.

    first, end   the rows that count of the columns, which may hold the policies of other specs as well
    """

    select: int
    kinds: Sequence[int]
    values: Sequence[int]
    periods_us: Sequence[int]
    first: int
    end: int


class ScaleEvents(NamedTuple):
    """The scale events of one direction: by how many replicas, and when.

    first, end   the rows that count of the columns, which may hold the events of other HPAs as well

    Outdated events are among them. Their slots may be used again, but a policy whose period grew still counts them.
    """

    changes: Sequence[int]
    at_us: Sequence[int]
    first: int
    end: int


class ScaleEventHistory(NamedTuple):
    """The scale events of both directions."""

    ups: ScaleEvents
    downs: ScaleEvents


class PolicyBehaviours(NamedTuple):
    """What differs between releases.

    both_count   scale events of both directions count (1.26, #109058); before, only those of the policy's own direction
    min_moves    selectPolicy Min lets something move (1.20, 1.19.4 and 1.18.12, #95647); before, it never did
    is_capped    a percentage above int32 allows the largest int32 (1.38, #141397)
    """

    both_count: bool
    min_moves: bool
    is_capped: bool


def policy_behaviours(behaviours: Behaviours) -> PolicyBehaviours:
    """The behaviours of a release that policies ask."""
    return PolicyBehaviours(behaviours.both_directions_count, behaviours.min_policy_moves, behaviours.replicas_capped)


def plain_up_limit(current: int) -> int:
    """The most that one reconcile may ask for without a behavior: twice the current replicas, or 4 if that is more.

    From 2^30 replicas on the double does not fit an int32, and becomes the least one. Upstream:
    `calculateScaleUpLimit`, there since "bogus CPU usage report from heapster/kubelet (like in issue #32304)".
    """
    doubled = SCALE_UP_LIMIT_FACTOR * float(current)
    return to_int32(max(SCALE_UP_LIMIT_MINIMUM, doubled))


def limit_plain(desired: int, current: int, minimum: int, maximum: int) -> Limited:
    """Without a behavior: the plain scale-up limit, then maxReplicas. minReplicas comes first and has no limit.

    So a minReplicas far above twice the current replicas is reached at once. Upstream:
    `convertDesiredReplicasWithRules`.
    """
    allowed = plain_up_limit(current)
    top, why = (allowed, UP_LIMIT) if maximum > allowed else (maximum, TOO_MANY)
    by_policy = min(desired, allowed)
    if desired < minimum:
        return Limited(minimum, TOO_FEW, allowed, by_policy, minimum)
    if desired > top:
        return Limited(top, why, allowed, by_policy, min(desired, maximum))
    return Limited(desired, WITHIN_RANGE, allowed, by_policy, min(desired, maximum))


def limit_with_behavior(desired: int, current: int, minimum: int, maximum: int, allowed: int) -> Limited:
    """With a behavior: the policies and the one bound of the direction of movement.

    allowed   what the policies of that direction allow

    Only maxReplicas is asked on the way up, and only minReplicas on the way down: the other bound was asked before the
    metrics were, in `branch`. Upstream: `convertDesiredReplicasWithBehaviorRate`.
    """
    if desired > current:
        replicas, why = limit_up(desired, current, allowed, maximum)
        by_policy, _ = limit_up(desired, current, allowed, MAX_INT32)
        return Limited(replicas, why, allowed, by_policy, min(desired, maximum))
    if desired < current:
        replicas, why = limit_down(desired, current, allowed, minimum)
        by_policy, _ = limit_down(desired, current, allowed, MIN_INT32)
        return Limited(replicas, why, allowed, by_policy, max(desired, minimum))
    return Limited(desired, WITHIN_RANGE, 0, desired, desired)


def limit_up(desired: int, current: int, allowed: int, maximum: int) -> tuple[int, int]:
    """With a behavior, on the way up: the number, and what limited it."""
    # Scale events may have used up more than there is. "We shouldn't scale up further", upstream says; nor down.
    allowed = max(allowed, current)
    top, why = (allowed, UP_LIMIT) if maximum > allowed else (maximum, TOO_MANY)
    if desired > top:
        return top, why
    return desired, WITHIN_RANGE


def limit_down(desired: int, current: int, allowed: int, minimum: int) -> tuple[int, int]:
    """With a behavior, on the way down: the number, and what limited it."""
    allowed = min(allowed, current)
    bottom, why = (allowed, DOWN_LIMIT) if minimum < allowed else (minimum, TOO_FEW)
    if desired < bottom:
        return bottom, why
    return desired, WITHIN_RANGE


def in_period(at_us: int, now_us: int, period_us: int) -> bool:
    """True if a scale event still counts. One exactly as old as the period does not.

    Upstream: `getReplicasChangePerPeriod`, `timestamp.After(cutoff)`.
    """
    return at_us > now_us - period_us


def period_start(current: int, added: int, removed: int) -> int:
    """Replicas at the start of a period: what was added and removed since is undone. May be negative.

    A policy allows a change per period, not per reconcile, so it counts from there. Upstream: `periodStartReplicas`.
    """
    return wrap32(current - added + removed)


def up_by_pods(start: int, value: int) -> int:
    """The number that a Pods policy allows on the way up. It wraps as an int32."""
    return wrap32(start + value)


def up_by_percent(start: int, value: int, is_capped: bool) -> int:
    """The number that a Percent policy allows on the way up, rounded up: else 10 % of 5 would never let a pod start.

    The doubles are in upstream's order: 140 % of 5 are 12 here, while 5 * 140 * 0.01 would round up to 13. Upstream:
    `calculateScaleUpLimitWithScalingRules`.
    """
    return replica_count(float(start) * (1.0 + float(value) / 100.0), is_capped)


def down_by_pods(start: int, value: int) -> int:
    """The number that a Pods policy allows on the way down."""
    return wrap32(start - value)


def down_by_percent(start: int, value: int) -> int:
    """The number that a Percent policy allows on the way down. `int32(…)` truncates, so a little more may go.

    Upstream: `calculateScaleDownLimitWithBehaviors`.
    """
    return to_int32(math.trunc(float(start) * (1.0 - float(value) / 100.0)))


def first_up(select: int, min_moves: bool) -> int:
    """The limit before the first policy of a scale-up.

    It is the least int32, so that any policy allows more; for Min the largest. Before #95647 it was 0, and Min stayed
    there: selectPolicy Min let nothing move.
    """
    if not min_moves:
        return 0
    return MAX_INT32 if select == SELECT_MIN else MIN_INT32


def first_down(select: int, min_moves: bool) -> int:
    """The limit before the first policy of a scale-down: the largest int32, for Min the least; as `first_up`."""
    return MIN_INT32 if select == SELECT_MIN and min_moves else MAX_INT32


def select_up(select: int, best: int, proposed: int) -> int:
    """On the way up Max is the greatest change: the most replicas. Min is the fewest."""
    return min(best, proposed) if select == SELECT_MIN else max(best, proposed)


def select_down(select: int, best: int, proposed: int) -> int:
    """On the way down Max is the greatest change too: here that is the fewest replicas."""
    return max(best, proposed) if select == SELECT_MIN else min(best, proposed)


def policies_allow(
    upward: bool,
    current: int,
    policies: Policies,
    events: ScaleEventHistory,
    now_us: int,
    in_force: PolicyBehaviours,
) -> int:
    """The number that the policies of one direction allow; current replicas where selectPolicy is Disabled.

    Upstream: `calculateScaleUpLimitWithScalingRules` and `calculateScaleDownLimitWithBehaviors` (1.18).
    """
    select = policies.select
    if select == SELECT_DISABLED:
        return current
    best = first_up(select, in_force.min_moves) if upward else first_down(select, in_force.min_moves)
    for index in range(policies.first, policies.end):
        period_us = policies.periods_us[index]
        added = change_in_period(events.ups, now_us, period_us) if upward or in_force.both_count else 0
        removed = change_in_period(events.downs, now_us, period_us) if in_force.both_count or not upward else 0
        start, value = period_start(current, added, removed), policies.values[index]
        by_pods = policies.kinds[index] == PODS
        if upward:
            proposed = up_by_pods(start, value) if by_pods else up_by_percent(start, value, in_force.is_capped)
            best = select_up(select, best, proposed)
        else:
            proposed = down_by_pods(start, value) if by_pods else down_by_percent(start, value)
            best = select_down(select, best, proposed)
    return best


def change_in_period(events: ScaleEvents, now_us: int, period_us: int) -> int:
    """By how many replicas the scale events of a period changed the target. Upstream: `getReplicasChangePerPeriod`."""
    total = 0
    for index in range(events.first, events.end):
        if in_period(events.at_us[index], now_us, period_us):
            total += events.changes[index]
    return total
