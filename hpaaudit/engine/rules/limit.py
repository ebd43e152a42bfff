"""Limits a recommendation by policies, minReplicas and maxReplicas (`convertDesiredReplicas…`)."""

import math

from hpaaudit.engine.rules.numbers import MAX_INT32, MIN_INT32, ceil, to_int32, wrap32

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


def plain_up_limit(current: int) -> int:
    """Without a behavior one pass may at most double, or reach four; from 2^30 on it wraps."""
    doubled = SCALE_UP_LIMIT_FACTOR * float(current)
    return to_int32(max(SCALE_UP_LIMIT_MINIMUM, doubled))


def limit_plain(desired: int, current: int, minimum: int, maximum: int) -> tuple[int, int]:
    """Without a behavior: replicas and which limit held; minReplicas comes first and is not limited."""
    limit = plain_up_limit(current)
    top, why = (limit, UP_LIMIT) if maximum > limit else (maximum, TOO_MANY)
    if desired < minimum:
        return minimum, TOO_FEW
    if desired > top:
        return top, why
    return desired, WITHIN_RANGE


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


def up_by_percent(start: int, value: int) -> int:
    """What a Percent policy allows on the way up, rounded up from doubles in just this order."""
    return to_int32(ceil(float(start) * (1.0 + float(value) / 100.0)))


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
