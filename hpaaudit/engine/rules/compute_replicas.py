"""Chooses among the metrics' proposals: the highest, or the reason why there is none.

Upstream: `computeReplicasForMetrics` asks one metric after the other and keeps count on the way. `Choice` is that
count. Both engines start from `UNASKED` and add each metric with `with_proposal` or `with_invalid`.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.reason_codes import ALL_INVALID, ON_TARGET, PARTIAL_BLOCKS

NO_FAILURE = ON_TARGET
"""The metrics came to a recommendation."""


class Choice(NamedTuple):
    """What the metrics that were asked so far came to.

    asked           how many were asked
    invalid         how many of them made no proposal
    first_invalid   index of the first of these, NONE without one;  last_invalid   of the last
    best            the highest proposal, 0 before the first
    winner          index of the metric that made it, NONE before the first
    """

    asked: int
    invalid: int
    first_invalid: int
    last_invalid: int
    best: int
    winner: int


UNASKED = Choice(0, 0, NONE, NONE, 0, NONE)


def with_proposal(choice: Choice, proposal: int) -> Choice:
    """The choice after one more metric, which proposes so many replicas."""
    best, winner = choice.best, choice.winner
    if takes_over(best, proposal):
        best, winner = proposal, choice.asked
    return Choice(choice.asked + 1, choice.invalid, choice.first_invalid, choice.last_invalid, best, winner)


def with_invalid(choice: Choice) -> Choice:
    """The choice after one more metric, which is invalid."""
    number = choice.asked
    first = number if choice.first_invalid == NONE else choice.first_invalid
    return Choice(number + 1, choice.invalid + 1, first, number, choice.best, choice.winner)


def takes_over(best: int, proposal: int) -> bool:
    """True if this proposal wins.

    The highest does; among equals the first. A later 0 replaces an earlier 0, because upstream compares with `>` but
    takes a best of 0 for "none yet" (`replicas == 0 || replicaCountProposal > replicas`). This shows only in the name
    of the winning metric.
    """
    return best == 0 or proposal > best


def is_over(choice: Choice, rules: Rules) -> bool:
    """True if no further metric is asked: the first invalid one ended the computation until 1.14 (#78503)."""
    return choice.invalid > 0 and not rules.partial_metrics


def failure(choice: Choice, current: int, rules: Rules) -> int:
    """NO_FAILURE, or why the computation as a whole has no recommendation.

    ALL_INVALID      no metric that was asked made a proposal
    PARTIAL_BLOCKS   some did, but a scale-down must not rest on only a part of the metrics: the invalid one might
                     have asked for more. In 1.15.0, lost in 1.16, back since 1.21 (#99514). A scale-up may. Until 1.14
                     one invalid metric ended all of it, up or down.
    """
    if choice.invalid == 0:
        return NO_FAILURE
    if choice.invalid >= choice.asked:
        return ALL_INVALID
    if is_over(choice, rules) or (rules.partial_blocks_down and choice.best < current):
        return PARTIAL_BLOCKS
    return NO_FAILURE


def told_invalid(choice: Choice, rules: Rules) -> int:
    """Index of the invalid metric that the condition ScalingActive names: the first since 1.16, before the last."""
    return choice.first_invalid if rules.first_invalid_told else choice.last_invalid


def recommended(choice: Choice) -> int:
    """The recommendation of all metrics, not yet stabilized.

    Never below 0: `reconcileAutoscaler` takes the proposal only if it is more than the 0 that it starts from.
    """
    return max(choice.best, 0)
