"""What one metric that fails means for the others: until 1.14 it ends the reconcile, whatever they ask for."""

from collections.abc import Sequence

import pytest

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.rules.compute_replicas import (
    NO_FAILURE,
    NOTHING_COMPUTED,
    failure,
    is_over,
    with_invalid,
    with_proposal,
)
from hpaaudit.engine.rules.reason_codes import ALL_INVALID, METRIC_FAILED, PARTIAL_BLOCKS
from hpaaudit.model.flags import Flags

LESS, MORE = 3, 9


@pytest.mark.parametrize(
    ("release", "metrics", "reason"),
    [
        ("1.14", [None], ALL_INVALID),
        ("1.14", [None, MORE], METRIC_FAILED),  # the second is not asked
        ("1.14", [MORE, None], METRIC_FAILED),
        ("1.14", [None, None], METRIC_FAILED),  # whether the second would fail nobody knows
        ("1.14", [MORE, LESS], NO_FAILURE),
        ("1.15", [None, None], ALL_INVALID),
        ("1.15", [None, LESS], PARTIAL_BLOCKS),
        ("1.15", [None, MORE], NO_FAILURE),
        ("1.36", [None], ALL_INVALID),
        ("1.36", [LESS, None], PARTIAL_BLOCKS),
    ],
)
def test_why_there_is_no_recommendation(release: str, metrics: Sequence[int | None], reason: int) -> None:
    """Of an HPA with 5 replicas; None is a metric that fails."""
    behaviours, choice = behaviours_of(Flags(release=release)), NOTHING_COMPUTED
    for proposal in metrics:
        choice = with_invalid(choice) if proposal is None else with_proposal(choice, proposal)
        if is_over(choice, behaviours):
            break
    assert failure(choice, len(metrics), 5, behaviours) == reason
