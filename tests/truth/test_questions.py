"""Questions about what the controller did say nothing of a time in which it did not run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hpaaudit.model.facts import Fact
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.results.answer import Answer
from hpaaudit.results.questions import Scope, ask, questions
from hpaaudit.results.read import Results
from tests.conformance.expected import captures
from tests.sample import one_in
from tests.truth.replayed import replayed
from tests.truth.views import dead, middle_us
from tests.truth.worlds import facts_of

EVERY = 90
TELL_MORE = {
    "how_long_until_pods_were_ready",
    "were_reconciles_late",
    "what_did_it_cost",
    "what_happened",
    "what_would_it_cost",
    "which_divergences_are_there",
    "which_pods_lack_a_request",
    "which_pods_never_came",
    "which_writers_fight",
    "which_writes_failed",
    "who_wrote_replicas",
}
"""Questions about others than the controller: writers, pods, Events, what is missing, what a replay would ask for."""
OF_THE_CONTROLLER = sorted(
    name for name, asked in questions().items() if "since" in asked.parameters and name not in TELL_MORE
)


@contextmanager
def _halted(
    facts: Sequence[Fact], view: Callable[[Sequence[Fact]], Iterator[Fact]]
) -> Iterator[tuple[Results, Micros]]:
    """A world whose controller has ended, and since when it cannot have reconciled."""
    with replayed(list(view(facts)), detail="all") as results:
        yield results, Micros(middle_us(facts) + 31 * SECOND)


DOWN = "not_run.controller_down"


def test_what_the_controller_did_ends_with_it() -> None:
    answered = set[str]()
    false = list[tuple[str, str, object]]()
    for capture in one_in(EVERY, captures("1.36")):
        with _halted(facts_of(capture), dead) as (results, gone_us):
            for name in OF_THE_CONTROLLER:
                asked = questions()[name]
                if Answer(results, ask(results, asked, Scope(until_us=gone_us))).rows():
                    answered.add(name)
                rows = Answer(results, ask(results, asked, Scope(since_us=gone_us))).rows()
                # That it did not run is no deed of it.
                false += [(capture.name, name, row) for row in rows if "unknown" not in row and DOWN not in row]
    assert false == []
    assert len(answered) > len(OF_THE_CONTROLLER) // 2
