"""Chooses among the proposals of the metrics: the highest, or the reason why there is no recommendation.

Each metric asks for enough replicas for itself, so the highest proposal serves them all. Upstream: `horizontal.go`,
`computeReplicasForMetrics`, one loop over the metrics. `Choice` holds the variables of that loop. Both engines start
from `NOTHING_COMPUTED` and add each metric with `with_proposal` or `with_invalid`.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.reason_codes import ALL_INVALID, METRIC_FAILED, ON_TARGET, PARTIAL_BLOCKS

NO_FAILURE = ON_TARGET
"""The metrics came to a recommendation."""


class Choice(NamedTuple):
    """The metrics that were computed so far.

    computed        how many;  invalid   how many of them have no proposal
    first_invalid   index of the first invalid metric, NONE without one;  last_invalid   of the last
    best            the highest proposal, 0 before the first
    winner          index of the metric that made it, NONE before the first
    """

    computed: int
    invalid: int
    first_invalid: int
    last_invalid: int
    best: int
    winner: int


NOTHING_COMPUTED = Choice(0, 0, NONE, NONE, 0, NONE)


def with_proposal(choice: Choice, proposal: int) -> Choice:
    """The choice after one more metric, which proposes so many replicas."""
    best, winner = choice.best, choice.winner
    if wins(best, proposal):
        best, winner = proposal, choice.computed
    return Choice(choice.computed + 1, choice.invalid, choice.first_invalid, choice.last_invalid, best, winner)


def with_invalid(choice: Choice) -> Choice:
    """The choice after one more metric, which is invalid."""
    number = choice.computed
    first = number if choice.first_invalid == NONE else choice.first_invalid
    return Choice(number + 1, choice.invalid + 1, first, number, choice.best, choice.winner)


def wins(best: int, proposal: int) -> bool:
    """True if a proposal beats the best one so far.

    The highest wins, among equals the first. But a later 0 replaces an earlier 0, because upstream takes 0 for "none
    yet" (`replicas == 0 || replicaCountProposal > replicas`). This shows only in the name of the winning metric.
    """
    return best == 0 or proposal > best


def is_over(choice: Choice, behaviours: Behaviours) -> bool:
    """True if no further metric is computed.

    Until 1.14 the first invalid metric ended the computation. Since 1.15 (#78503) all metrics are computed.
    """
    return choice.invalid > 0 and not behaviours.partial_metrics


def failure(choice: Choice, metrics: int, current: int, behaviours: Behaviours) -> int:
    """NO_FAILURE, or the reason code of why the metrics of the spec, so many, give no recommendation.

    ALL_INVALID      no metric has a proposal
    PARTIAL_BLOCKS   some metrics have, but they would scale down. The invalid metric might have asked for more, so a
                     scale-down must not rest on the others; a scale-up may. This holds in 1.15, was lost in 1.16, and
                     holds again since 1.21 (#99514)
    METRIC_FAILED    one is invalid, and others have a proposal or were not asked: until 1.14 that prevents both
                     directions
    """
    if choice.invalid == 0:
        return NO_FAILURE
    if choice.invalid >= metrics:
        return ALL_INVALID
    if is_over(choice, behaviours):
        return METRIC_FAILED
    if behaviours.partial_blocks_down and choice.best < current:
        return PARTIAL_BLOCKS
    return NO_FAILURE


def named_invalid(choice: Choice, behaviours: Behaviours) -> int:
    """Index of the invalid metric that ScalingActive=False names: the first since 1.16, before that the last."""
    return choice.first_invalid if behaviours.first_invalid_told else choice.last_invalid


def recommended(choice: Choice) -> int:
    """The recommendation of all metrics, before it is stabilized.

    Never below 0: `reconcileAutoscaler` starts from `desiredReplicas := 0` and takes only what is more. Negative metric
    values propose negative replicas.
    """
    return max(choice.best, 0)
