"""Limits a recommendation by policies, minReplicas and maxReplicas.

Upstream: `convertDesiredReplicasWithRules`, with a behavior `convertDesiredReplicasWithBehaviorRate` (1.18).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.rules.go_numbers import MAX_INT32, MIN_INT32, count_of, to_int32, wrap32

SCALE_UP_LIMIT_FACTOR = 2.0  # upstream's scaleUpLimitFactor
SCALE_UP_LIMIT_MINIMUM = 4.0  # upstream's scaleUpLimitMinimum

SELECT_MAX = 0
SELECT_MIN = 1
SELECT_DISABLED = 2

WITHIN_RANGE = 0
TOO_FEW = 1
TOO_MANY = 2
UP_LIMIT = 3
DOWN_LIMIT = 4

PODS = 0
PERCENT = 1


class Limited(NamedTuple):
    """The number, why, and what policies or bounds alone would have left.

    limit       what the policies allow; zero where nothing moved, for then no policy is asked
    by_policy   after policies, before minReplicas and maxReplicas
    by_bounds   after minReplicas and maxReplicas, without policies
    """

    replicas: int
    why: int
    limit: int
    by_policy: int
    by_bounds: int


class Policies(NamedTuple):
    """The policies of one direction: `select`, and of each its type, value and period.

    first, end   those that count of the columns, which may hold the policies of other specs as well
    """

    select: int
    kinds: Sequence[int]
    values: Sequence[int]
    periods_us: Sequence[int]
    first: int
    end: int


class ScaleEvents(NamedTuple):
    """The scale events of one direction: by how many replicas, and when.

    first, end   those that count of the columns, which may hold the events of other HPAs as well

    Outdated ones are among them: what is outdated for the slot of a new event may still count for a policy.
    """

    changes: Sequence[int]
    at_us: Sequence[int]
    first: int
    end: int


class PolicyRules(NamedTuple):
    """What differs between releases.

    both        scale events of either direction count (1.26, #109058); before, only those of the same
    min_moves   selectPolicy Min lets something move (1.20, #95647); in 1.18 and 1.19 at first it never did
    capped      a percentage beyond int32 allows its largest (1.38, #141397)
    """

    both: bool
    min_moves: bool
    capped: bool


def policy_rules(rules: Rules) -> PolicyRules:
    """Those of a release."""
    return PolicyRules(rules.both_directions_count, rules.min_policy_moves, rules.replicas_capped)


def plain_up_limit(current: int) -> int:
    """The most that one reconcile may ask for without a behavior: twice what stands, or four if that is more.

    From 2^30 replicas on the double is no int32 any more, and becomes the least. Upstream: `calculateScaleUpLimit`.
    """
    doubled = SCALE_UP_LIMIT_FACTOR * float(current)
    return to_int32(max(SCALE_UP_LIMIT_MINIMUM, doubled))


def limit_plain(desired: int, current: int, minimum: int, maximum: int) -> Limited:
    """Without a behavior: twice the current or four, then maxReplicas; minReplicas comes first and is not limited.

    So a minReplicas far above twice the current is reached at once.
    """
    limit = plain_up_limit(current)
    top, why = (limit, UP_LIMIT) if maximum > limit else (maximum, TOO_MANY)
    by_policy = min(desired, limit)
    if desired < minimum:
        return Limited(minimum, TOO_FEW, limit, by_policy, minimum)
    if desired > top:
        return Limited(top, why, limit, by_policy, min(desired, maximum))
    return Limited(desired, WITHIN_RANGE, limit, by_policy, min(desired, maximum))


def limit_moves(desired: int, current: int, minimum: int, maximum: int, limit: int) -> Limited:
    """With a behavior: the policies of the direction of movement, and its one bound.

    limit   what the policies of that direction allow
    """
    if desired > current:
        replicas, why = limit_up(desired, current, limit, maximum)
        by_policy, _ = limit_up(desired, current, limit, MAX_INT32)
        return Limited(replicas, why, limit, by_policy, min(desired, maximum))
    if desired < current:
        replicas, why = limit_down(desired, current, limit, minimum)
        by_policy, _ = limit_down(desired, current, limit, MIN_INT32)
        return Limited(replicas, why, limit, by_policy, max(desired, minimum))
    return Limited(desired, WITHIN_RANGE, 0, desired, desired)


def limit_up(desired: int, current: int, limit: int, maximum: int) -> tuple[int, int]:
    """With a behavior, on the way up: minReplicas is not tested."""
    # Scale events used up more than there is: stay. "We shouldn't scale up further", upstream says, and not down.
    limit = max(limit, current)
    top, why = (limit, UP_LIMIT) if maximum > limit else (maximum, TOO_MANY)
    if desired > top:
        return top, why
    return desired, WITHIN_RANGE


def limit_down(desired: int, current: int, limit: int, minimum: int) -> tuple[int, int]:
    """With a behavior, on the way down: maxReplicas is not tested."""
    limit = min(limit, current)
    bottom, why = (limit, DOWN_LIMIT) if minimum < limit else (minimum, TOO_FEW)
    if desired < bottom:
        return bottom, why
    return desired, WITHIN_RANGE


def in_period(at_us: int, now_us: int, period_us: int) -> bool:
    """Whether a scale event still counts. One exactly as old as the period does not (`getReplicasChangePerPeriod`)."""
    return at_us > now_us - period_us


def period_start(current: int, added: int, removed: int) -> int:
    """Replicas at the start of a period: the events of both directions are undone. May be negative.

    Before 1.26 the caller leaves those of the other direction out.
    """
    return wrap32(current - added + removed)


def up_by_pods(start: int, value: int) -> int:
    """What a Pods policy allows on the way up; int32, so it may wrap."""
    return wrap32(start + value)


def up_by_percent(start: int, value: int, capped: bool) -> int:
    """What a Percent policy allows on the way up, rounded up: else 10 % of 5 would never let anything move.

    Doubles in just this order: 140 % of 5 are 12 here, while 5 * 140 * 0.01 would round up to 13.
    """
    return count_of(float(start) * (1.0 + float(value) / 100.0), capped)


def down_by_pods(start: int, value: int) -> int:
    """What a Pods policy allows on the way down."""
    return wrap32(start - value)


def down_by_percent(start: int, value: int) -> int:
    """What a Percent policy allows on the way down: `int32(…)` cuts toward zero, so that a little more may go."""
    return to_int32(math.trunc(float(start) * (1.0 - float(value) / 100.0)))


def first_up(select: int, min_moves: bool) -> int:
    """Where the fold over the policies of a scale-up starts.

    The least, so that any policy exceeds it; for Min the largest. In 1.18 and 1.19 it started from zero, and Min stayed
    there: nothing moved (#95647).
    """
    if not min_moves:
        return 0
    return MAX_INT32 if select == SELECT_MIN else MIN_INT32


def first_down(select: int, min_moves: bool) -> int:
    """Where the fold over the policies of a scale-down starts: the largest, for Min the least (as `first_up`)."""
    return MIN_INT32 if select == SELECT_MIN and min_moves else MAX_INT32


def fold_up(select: int, best: int, proposed: int) -> int:
    """Max lets the most replicas through, Min the fewest."""
    return min(best, proposed) if select == SELECT_MIN else max(best, proposed)


def fold_down(select: int, best: int, proposed: int) -> int:
    """Max is the greatest change: here that is the fewest replicas."""
    return max(best, proposed) if select == SELECT_MIN else min(best, proposed)


def allowed(
    upward: bool,
    current: int,
    policies: Policies,
    ups: ScaleEvents,
    downs: ScaleEvents,
    now_us: int,
    in_force: PolicyRules,
) -> int:
    """What the policies of one direction allow.

    Upstream: `calculateScaleUpLimitWithScalingRules` and `calculateScaleDownLimitWithBehaviors`.
    """
    if policies.select == SELECT_DISABLED:
        return current
    best = first_up(policies.select, in_force.min_moves) if upward else first_down(policies.select, in_force.min_moves)
    for index in range(policies.first, policies.end):
        period_us = policies.periods_us[index]
        added = moved(ups, now_us, period_us) if upward or in_force.both else 0
        removed = moved(downs, now_us, period_us) if in_force.both or not upward else 0
        start, value = period_start(current, added, removed), policies.values[index]
        by_pods = policies.kinds[index] == PODS
        if upward:
            proposed = up_by_pods(start, value) if by_pods else up_by_percent(start, value, in_force.capped)
            best = fold_up(policies.select, best, proposed)
        else:
            proposed = down_by_pods(start, value) if by_pods else down_by_percent(start, value)
            best = fold_down(policies.select, best, proposed)
    return best


def moved(events: ScaleEvents, now_us: int, period_us: int) -> int:
    """Replicas moved within a period (`getReplicasChangePerPeriod`)."""
    total = 0
    for index in range(events.first, events.end):
        if in_period(events.at_us[index], now_us, period_us):
            total += events.changes[index]
    return total
