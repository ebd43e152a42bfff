"""A recording that begins just before a controller process: the first reconciles of that process are no divergence.

Nothing tells that it is a new one: not how it was started, and not its Lease. Its first reconcile remembers the
replicas that it finds, which keeps a scale-up back where there is a window.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from hpaaudit.model.facts import Fact, HpaSeen
from tests.conformance.expected import capture_of
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS, View
from tests.truth.worlds import facts_of


def _world() -> list[Fact]:
    """A new HPA of 1.20, served in v1, whose first reconcile is kept at 2 by a window of 15 s for scale-ups."""
    return facts_of(capture_of("1.20", "common-100-0016"))


def _as_it_is(facts: Sequence[Fact]) -> Iterator[Fact]:
    yield from facts


def _reconciled_before(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same HPA, which an earlier process has reconciled."""
    first = next(fact for fact in facts if isinstance(fact, HpaSeen))
    for fact in facts:
        status = '{"currentReplicas":2,"desiredReplicas":2}'
        yield replace(fact, status_json=status) if fact is first and isinstance(fact, HpaSeen) else fact


@pytest.mark.parametrize("view", ["outside", "minimal rights", "nothing of the controller"])
@pytest.mark.parametrize(
    ("before", "unsure"), [(_as_it_is, 0), (_reconciled_before, 1)], ids=["a new HPA", "an HPA reconciled before"]
)
def test_what_a_new_process_does_first_is_no_divergence(view: str, before: View, unsure: int) -> None:
    """Only of an HPA that had been reconciled, by a process that nobody saw start, the first is not known."""
    with replayed(list(before(list(VIEWS[view](_world()))))) as results:
        verdicts = dict(results.sql("select verdict, count(*) from reconciles group by all").fetchall())
    assert set(verdicts) <= {"match", "undecidable"}
    assert verdicts["match"] >= 30 - unsure
