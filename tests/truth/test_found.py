"""Random worlds in which a sweep found something false: it is said no more.

`python -m tests.oracle.keep --release 1.23 --seed 7301 --into DIR` makes such worlds, with the truth of each reconcile.
"""

import pytest

from tests.truth.judged import judged
from tests.truth.produced import FOUND


@pytest.mark.parametrize(
    "name",
    [
        # Another downscale window and a restart four minutes later: an early restart alone explained half of it.
        "1.23-flag-and-later-restart",
        # The controller's own watch was a whole period late: a status seemed to be of the reconcile after its own.
        "1.20-watch-a-period-late",
        # The write that the true window leads to was refused, and nobody saw the answer.
        "1.36-refused-under-another-window",
    ],
)
def test_what_a_sweep_found_false_is_said_no_more(name: str) -> None:
    judgement = judged(FOUND / f"{name}.capture.jsonl.gz", "minimal rights")
    assert judgement.reconciles > 10
    assert judgement.wrong == []
    assert judgement.unexplained == []
    assert judgement.headlines == []
