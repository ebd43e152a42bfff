"""The facts that one HPA's reconciles may have seen are read without the rest of a fleet."""

import itertools
from functools import partial
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
from hpaaudit.recording.encoding import parquet
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading import one_hpa
from hpaaudit.recording.reading.recording import Recording, open_recording
from hpaaudit.recording.reading.segment import segment_table
from tests.bench import fleet

if TYPE_CHECKING:
    from pathlib import Path

    from hpaaudit.recording.reading.one_hpa import KeptTables


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


@pytest.mark.parametrize("many_rows", [0, 1_000_000_000], ids=["column by column", "together"])
def test_columns_of_a_namespace_are_those_of_the_whole_table(
    opened: Recording, monkeypatch: pytest.MonkeyPatch, many_rows: int
) -> None:
    """In whichever way they are decoded. A dictionary that was shortened means the same texts."""
    monkeypatch.setattr(parquet, "MANY_ROWS", many_rows)
    namespace = next(fact for fact in opened.facts() if isinstance(fact, Reconciled)).namespace
    found = set()
    for segment, table in itertools.product(opened.segments, ("samples", "hpas", "pods", "targets", "reads")):
        names = [column.name for column in TABLES[table].columns]
        whole, part = (
            [] if rows is None else rows.to_pylist()
            for rows in (
                segment_table(opened.folder, segment, table, names, where)
                for where in (parquet.EVERY_ROW, {"namespace": namespace})
            )
        )
        assert part == [row for row in whole if row["namespace"] == namespace]
        assert segment_table(opened.folder, segment, table, names, {"namespace": "elsewhere"}) is None
        found |= {table} if part else set()
    assert found == {"samples", "hpas", "pods", "targets", "reads"}


def test_what_was_read_before_is_not_read_again(opened: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    first = next(fact for fact in opened.facts() if isinstance(fact, Reconciled))
    ask = partial(opened.facts_of_hpa, first.namespace, first.name, opened.info.ended_us + 1, before=("hpas",))
    kept: KeptTables = {}
    facts = [fact for fact in ask(kept=kept) if isinstance(fact, HpaSeen)]
    read: list[object] = []
    monkeypatch.setattr(one_hpa, "segment_table", lambda *asked: read.append(asked[2]))
    assert facts == list(ask(kept=kept)) != []
    assert "hpas" not in read


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
