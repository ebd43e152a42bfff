"""Limits a recommendation by policies, minReplicas and maxReplicas (`convertDesiredReplicas…`)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from hpaaudit.engine.rules.numbers import MAX_INT32, MIN_INT32, count_of, to_int32, wrap32

SCALE_UP_LIMIT_FACTOR = 2.0
SCALE_UP_LIMIT_MINIMUM = 4.0

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
    """The policies of one direction: `select`, and of each its type, value and period."""

    select: int
    kinds: Sequence[int]
    values: Sequence[int]
    periods_us: Sequence[int]


def plain_up_limit(current: int) -> int:
    """Without a behavior one pass may at most double, or reach four; from 2^30 on it wraps."""
    doubled = SCALE_UP_LIMIT_FACTOR * float(current)
    return to_int32(max(SCALE_UP_LIMIT_MINIMUM, doubled))


def limit_plain(desired: int, current: int, minimum: int, maximum: int) -> Limited:
    """Without a behavior: twice the current or four, then the bounds; minReplicas comes first and is not limited."""
    limit = plain_up_limit(current)
    top, why = (limit, UP_LIMIT) if maximum > limit else (maximum, TOO_MANY)
    by_policy = min(desired, limit)
    if desired < minimum:
        return Limited(minimum, TOO_FEW, limit, by_policy, minimum)
    if desired > top:
        return Limited(top, why, limit, by_policy, min(desired, maximum))
    return Limited(desired, WITHIN_RANGE, limit, by_policy, min(desired, maximum))


def limit_moves(desired: int, current: int, minimum: int, maximum: int, up_limit: int, down_limit: int) -> Limited:
    """With a behavior: the policies of the direction of movement, and its one bound."""
    if desired > current:
        replicas, why = limit_up(desired, current, up_limit, maximum)
        by_policy, _ = limit_up(desired, current, up_limit, MAX_INT32)
        return Limited(replicas, why, up_limit, by_policy, min(desired, maximum))
    if desired < current:
        replicas, why = limit_down(desired, current, down_limit, minimum)
        by_policy, _ = limit_down(desired, current, down_limit, MIN_INT32)
        return Limited(replicas, why, down_limit, by_policy, max(desired, minimum))
    return Limited(desired, WITHIN_RANGE, 0, desired, desired)


def limit_up(desired: int, current: int, limit: int, maximum: int) -> tuple[int, int]:
    """With a behavior, on the way up: minReplicas is not tested."""
    limit = max(limit, current)  # scale events used up more than there is: stay, rather than fall
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
    """A scale event exactly as old as the period no longer counts."""
    return at_us > now_us - period_us


def period_start(current: int, added: int, removed: int) -> int:
    """Replicas at the start of a period, events of both directions undone (1.26); may be negative."""
    return wrap32(current - added + removed)


def up_by_pods(start: int, value: int) -> int:
    """What a Pods policy allows on the way up; int32, so it may wrap."""
    return wrap32(start + value)


def up_by_percent(start: int, value: int, capped: bool) -> int:
    """What a Percent policy allows on the way up, rounded up from doubles in just this order."""
    return count_of(float(start) * (1.0 + float(value) / 100.0), capped)


def down_by_pods(start: int, value: int) -> int:
    """What a Pods policy allows on the way down."""
    return wrap32(start - value)


def down_by_percent(start: int, value: int) -> int:
    """What a Percent policy allows on the way down, cut."""
    return to_int32(math.trunc(float(start) * (1.0 - float(value) / 100.0)))


def first_up(select: int, min_moves: bool) -> int:
    """Where the fold over the policies of a scale-up starts; from zero Min stayed there (until 1.20)."""
    if not min_moves:
        return 0
    return MAX_INT32 if select == SELECT_MIN else MIN_INT32


def first_down(select: int, min_moves: bool) -> int:
    """Where the fold over the policies of a scale-down starts."""
    return MIN_INT32 if select == SELECT_MIN and min_moves else MAX_INT32


def fold_up(select: int, best: int, proposed: int) -> int:
    """Max lets the most replicas through, Min the fewest."""
    return min(best, proposed) if select == SELECT_MIN else max(best, proposed)


def fold_down(select: int, best: int, proposed: int) -> int:
    """Max is the greatest change: the fewest replicas."""
    return max(best, proposed) if select == SELECT_MIN else min(best, proposed)


def allowed(
    upward: bool,
    current: int,
    policies: Policies,
    up_changes: Sequence[int],
    up_at_us: Sequence[int],
    up_count: int,
    down_changes: Sequence[int],
    down_at_us: Sequence[int],
    down_count: int,
    now_us: int,
    both: bool,
    min_moves: bool,
    capped: bool,
) -> int:
    """What the policies of one direction allow (`calculateScaleUpLimitWithScalingRules`, and down).

    up_…, down_…   scale events of either direction, of which the first `…_count` slots are taken; whether one is
                   outdated does not matter here
    both           events of either direction count; before 1.26 only those of the same
    min_moves      selectPolicy Min lets something move; in 1.18 and 1.19 at first it never did
    capped         a percentage beyond int32 allows its largest (1.38)
    """
    if policies.select == SELECT_DISABLED:
        return current
    best = first_up(policies.select, min_moves) if upward else first_down(policies.select, min_moves)
    for index in range(len(policies.kinds)):
        period_us = policies.periods_us[index]
        added = moved(up_changes, up_at_us, up_count, now_us, period_us) if upward or both else 0
        removed = moved(down_changes, down_at_us, down_count, now_us, period_us) if both or not upward else 0
        start, value = period_start(current, added, removed), policies.values[index]
        by_pods = policies.kinds[index] == PODS
        if upward:
            proposed = up_by_pods(start, value) if by_pods else up_by_percent(start, value, capped)
            best = fold_up(policies.select, best, proposed)
        else:
            proposed = down_by_pods(start, value) if by_pods else down_by_percent(start, value)
            best = fold_down(policies.select, best, proposed)
    return best


def moved(changes: Sequence[int], at_us: Sequence[int], count: int, now_us: int, period_us: int) -> int:
    """Replicas moved within a period."""
    total = 0
    for index in range(count):
        if in_period(at_us[index], now_us, period_us):
            total += changes[index]
    return total
