"""Limits a recommendation by rate, minReplicas and maxReplicas as 1.1 to 1.11 did, with the words for it."""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.limits import REASONS
from hpaaudit.engine.rules import limit
from hpaaudit.engine.rules.limit import plain_up_limit

_NO_MINIMUM = 0
_WAS = {
    limit.TOO_FEW: ("TooFewReplicas", "the desired replica count was less than the minimum replica count"),
    limit.TOO_MANY: ("TooManyReplicas", "the desired replica count was more than the maximum replica count"),
    limit.UP_LIMIT: ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"),
    limit.WITHIN_RANGE: ("DesiredWithinRange", "the desired replica count is within the acceptible range"),
}
_CODES = {limit.TOO_FEW: "bound.min", limit.TOO_MANY: "bound.max", limit.UP_LIMIT: "policy.legacy_up_limit"}


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
    was_zero: bool = False

    @property
    def code(self) -> str:
        """The reason code of what limited the number."""
        return _CODES.get(self.why, "metric.on_target")


def bounded(raw: int, current: int, minimum: int | None, maximum: int, behaviours: Behaviours) -> Bounded:
    """The recommendation, limited. With `minimum` None the HPA has no minReplicas, and only zero is too few."""
    rate = plain_up_limit(current)
    if behaviours.bounds_as_rules:
        return _by_rules(raw, minimum, maximum, rate)
    if behaviours.up_rate_first:
        return _first_that_applies(raw, minimum, maximum, rate, behaviours)
    return _one_by_one(raw, minimum, maximum, rate if behaviours.up_rate_limited else None)


def _by_rules(raw: int, minimum: int | None, maximum: int, rate: int) -> Bounded:
    """The limits since 1.9: rate and maxReplicas are one upper bound. Upstream: `convertDesiredReplicasWithRules`."""
    lowest = minimum or 1
    highest, upper = (rate, limit.UP_LIMIT) if maximum > rate else (maximum, limit.TOO_MANY)
    by_rate = min(raw, rate)
    if raw < lowest:
        return Bounded(lowest, limit.TOO_FEW, by_rate, upper)
    if raw > highest:
        return Bounded(highest, upper, by_rate, upper)
    return Bounded(raw, limit.WITHIN_RANGE, by_rate, upper)


def _first_that_applies(raw: int, minimum: int | None, maximum: int, rate: int, behaviours: Behaviours) -> Bounded:
    """The limits of 1.7 and 1.8: only the first that applies, so a number cut to the rate may exceed maxReplicas.

    Since 1.7.9 and 1.8.2 it does not (#53690). Until 1.7.1 zero became one even below minReplicas (#48997).
    """
    if raw > rate:
        if behaviours.up_rate_within_max and rate > maximum:
            return Bounded(maximum, limit.TOO_MANY, rate, limit.TOO_MANY)
        return Bounded(rate, limit.UP_LIMIT, rate, limit.UP_LIMIT)
    too_few = minimum is not None and raw < minimum
    if raw == 0 and not (behaviours.min_before_one and too_few):
        return Bounded(1, limit.TOO_FEW, raw, limit.UP_LIMIT, was_zero=True)
    if too_few:
        return Bounded(minimum or _NO_MINIMUM, limit.TOO_FEW, raw, limit.UP_LIMIT)
    if raw > maximum:
        return Bounded(maximum, limit.TOO_MANY, raw, limit.TOO_MANY)
    return Bounded(raw, limit.WITHIN_RANGE, raw, limit.UP_LIMIT)


def _one_by_one(raw: int, minimum: int | None, maximum: int, rate: int | None) -> Bounded:
    """The limits up to 1.6, one after the other: minReplicas, 1, maxReplicas, and since 1.4.4 (#34955) the rate."""
    replicas, why = raw, limit.WITHIN_RANGE
    if minimum is not None and replicas < minimum:
        replicas, why = minimum, limit.TOO_FEW
    if replicas == 0:
        replicas, why = 1, limit.TOO_FEW
    if replicas > maximum:
        replicas, why = maximum, limit.TOO_MANY
    if rate is not None and replicas > rate:
        replicas, why = rate, limit.UP_LIMIT
    return Bounded(replicas, why, replicas, limit.UP_LIMIT)


def limited_words(raw: int, limits: Bounded, behaviours: Behaviours) -> tuple[str, str, bool]:
    """Reason and message of ScalingLimited, and whether it is True.

    From 1.9 to 1.15 a number that is too low is told in the words of the upper bound: the variable is overwritten.
    """
    if behaviours.bounds_as_rules:
        reason, message = REASONS[limits.why]
        if limits.why == limit.TOO_FEW:
            _, message = REASONS[limits.upper]
        return reason, message, limits.replicas != raw
    if limits.was_zero:
        return "TooFewReplicas", "the desired replica count was zero", True
    reason, message = _WAS[limits.why]
    return reason, message, limits.why != limit.WITHIN_RANGE
