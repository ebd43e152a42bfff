"""The facts that one HPA's reconciles may have seen are read without the rest of a fleet."""

from typing import TYPE_CHECKING

import pytest

from hpaaudit.model.facts import (
    ControllerSeen,
    Fact,
    HpaSeen,
    PodGone,
    PodSeen,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.recording.reading.recording import Recording, open_recording
from tests.bench import fleet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A quarter of an hour of two namespaces, in several segments."""
    folder: Path = tmp_path_factory.mktemp("near") / "recording"
    fleet.write(folder, hpas=12, hours=0.25, seed=5, budget=100_000)
    return open_recording(folder)


def _namespace(fact: Fact) -> str:
    match fact:
        case PodSeen(pod=pod):
            return pod.namespace
        case TargetSeen(target=target):
            return target.namespace
        case ResourceMetricsRead(request=request) | ValuesRead(request=request):
            return request.namespace
        case HpaSeen() | PodGone() | Reconciled():
            return fact.namespace
    return ""


def test_from_the_beginning_it_is_all_of_the_namespace_with_the_lines_of_one_hpa(opened: Recording) -> None:
    first = next(fact for fact in opened.facts() if isinstance(fact, Reconciled))
    wanted = [
        fact
        for fact in opened.facts()
        if (isinstance(fact, ControllerSeen) or _namespace(fact) == first.namespace)
        and (not isinstance(fact, Reconciled) or fact.name == first.name)
    ]
    assert len({_namespace(fact) for fact in opened.facts()}) > len({_namespace(fact) for fact in wanted})
    assert list(opened.facts_of_hpa(first.namespace, first.name, opened.info.started_us)) == wanted


def test_before_an_instant_only_what_is_watched_is_read(opened: Recording) -> None:
    first = next(fact for fact in opened.facts() if isinstance(fact, Reconciled))
    items = list(opened.facts_of_hpa(first.namespace, first.name, opened.info.ended_us + 1))
    assert {type(fact) for fact in items} == {ControllerSeen, HpaSeen, PodSeen, PodGone, TargetSeen}


def test_after_an_instant_no_answer_is_read_and_everything_else_is(opened: Recording) -> None:
    """Wherever the instant lies: before, in and after a segment, and on an answer itself."""
    first = next(fact for fact in opened.facts() if isinstance(fact, Reconciled))
    whole = list(opened.facts_of_hpa(first.namespace, first.name, opened.info.started_us))
    answers = ResourceMetricsRead | ValuesRead | ScaleRead
    polled = [fact for fact in whole if isinstance(fact, answers)]
    assert len(opened.segments) > 1
    instants = [
        opened.info.started_us - 1,
        *(fact.at_us for fact in polled[:: len(polled) // 12]),
        opened.info.ended_us,
    ]
    for until_us in instants:
        until = list(opened.facts_of_hpa(first.namespace, first.name, opened.info.started_us, until_us=until_us))
        assert until == [fact for fact in whole if fact.at_us <= until_us or not isinstance(fact, answers)]
