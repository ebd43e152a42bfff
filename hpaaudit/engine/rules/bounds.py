"""Limits a recommendation by rate, minReplicas and maxReplicas as 1.1 to 1.11 did.

Upstream: `horizontal.go`, `reconcileAutoscaler`; in 1.9 to 1.11 `convertDesiredReplicasWithRules`.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.limit import TOO_FEW, TOO_MANY, UP_LIMIT, WITHIN_RANGE, plain_up_limit


class Bounds(NamedTuple):
    """The bounds of a spec; without minReplicas (`has_minimum` False) only zero is too few, whatever `minimum` is."""

    minimum: int
    has_minimum: bool
    maximum: int


class Bounded(NamedTuple):
    """A limited recommendation.

    replicas   the number;  why   what limited it, as in `rules.limit`;  by_rate   the number after the rate alone
    upper      what `why` would have been on the way up, whatever limited the number
    was_zero   it was zero, and became one
    """

    replicas: int
    why: int
    by_rate: int
    upper: int
    was_zero: bool


def bounded(raw: int, current: int, bounds: Bounds, behaviours: Behaviours) -> Bounded:
    """The recommendation, limited."""
    rate = plain_up_limit(current)
    if behaviours.bounds_as_rules:
        return by_rules(raw, bounds, rate)
    if behaviours.up_rate_first:
        return first_that_applies(raw, bounds, rate, behaviours)
    return one_by_one(raw, bounds, rate, behaviours.up_rate_limited)


def by_rules(raw: int, bounds: Bounds, rate: int) -> Bounded:
    """The limits since 1.9: rate and maxReplicas are one upper bound. Upstream: `convertDesiredReplicasWithRules`.

    A minReplicas of 0, like none, lets nothing below 1.
    """
    lowest = bounds.minimum if bounds.has_minimum and bounds.minimum != 0 else 1
    highest, upper = (rate, UP_LIMIT) if bounds.maximum > rate else (bounds.maximum, TOO_MANY)
    by_rate = min(raw, rate)
    if raw < lowest:
        return Bounded(lowest, TOO_FEW, by_rate, upper, was_zero=False)
    if raw > highest:
        return Bounded(highest, upper, by_rate, upper, was_zero=False)
    return Bounded(raw, WITHIN_RANGE, by_rate, upper, was_zero=False)


def first_that_applies(raw: int, bounds: Bounds, rate: int, behaviours: Behaviours) -> Bounded:
    """The limits of 1.7 and 1.8: only the first that applies, so a number cut to the rate may exceed maxReplicas.

    Since 1.7.9 and 1.8.2 it does not (#53690). Until 1.7.1 zero became one even below minReplicas (#48997).
    """
    if raw > rate:
        if behaviours.up_rate_within_max and rate > bounds.maximum:
            return Bounded(bounds.maximum, TOO_MANY, rate, TOO_MANY, was_zero=False)
        return Bounded(rate, UP_LIMIT, rate, UP_LIMIT, was_zero=False)
    too_few = bounds.has_minimum and raw < bounds.minimum
    if raw == 0 and not (behaviours.min_before_one and too_few):
        return Bounded(1, TOO_FEW, raw, UP_LIMIT, was_zero=True)
    if too_few:
        return Bounded(bounds.minimum, TOO_FEW, raw, UP_LIMIT, was_zero=False)
    if raw > bounds.maximum:
        return Bounded(bounds.maximum, TOO_MANY, raw, TOO_MANY, was_zero=False)
    return Bounded(raw, WITHIN_RANGE, raw, UP_LIMIT, was_zero=False)


def one_by_one(raw: int, bounds: Bounds, rate: int, has_rate: bool) -> Bounded:
    """The limits up to 1.6, one after the other: minReplicas, 1, maxReplicas, and since 1.4.4 (#34955) the rate."""
    replicas, why = raw, WITHIN_RANGE
    if bounds.has_minimum and replicas < bounds.minimum:
        replicas, why = bounds.minimum, TOO_FEW
    if replicas == 0:
        replicas, why = 1, TOO_FEW
    if replicas > bounds.maximum:
        replicas, why = bounds.maximum, TOO_MANY
    if has_rate and replicas > rate:
        replicas, why = rate, UP_LIMIT
    return Bounded(replicas, why, replicas, UP_LIMIT, was_zero=False)
