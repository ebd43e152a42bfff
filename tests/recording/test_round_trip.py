"""What was written is what is read: the same facts in the same order."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.model.facts import Fact, ResourceMetricsRead, ValuesRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, MetricValue, PodSample
from hpaaudit.model.units import LAST_US, YEAR_1_US, YEAR_10000_US, Micros
from hpaaudit.recording.encoding.answer_changes import apply_changes, changes_between
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.validation.check_rows import LONGEST_US
from hpaaudit.recording.writing.writer import Writer

# Few words and small numbers, so that streams, items and values meet again; and every text and number there is.
words = st.sampled_from(["", "web", "web-0", "web-1", "cpu", "memory", "ä\0\n'"]) | st.text(max_size=6)
whole = st.integers(0, 3) | st.integers(-9, 9).map(lambda n: n * 1000) | st.integers(-(2**63), 2**63 - 1)


# What format 1 allows: what was seen was seen since 1970, and told times are those that RFC 3339 can tell.
recorded_us = st.integers(0, 3) | st.integers(0, LAST_US)
any_us = st.integers(-9, 9) | st.integers(YEAR_1_US, YEAR_10000_US - 1)
spans = st.integers(-9, 9) | st.integers(-LONGEST_US, LONGEST_US)
objects = st.dictionaries(words, words | whole.filter(lambda n: abs(n) < 2**53), max_size=2)
canonical = partial(json.dumps, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
FIELDS = {
    **dict.fromkeys(("at_us", "until_us", "began_us"), recorded_us),
    **dict.fromkeys(("window_us", "clock_offset_us", "round_trip_us"), spans | st.none()),
    "took_us": spans.map(abs),
    "annotations_json": st.dictionaries(words, words, max_size=2).map(canonical),
    "labels_json": st.none() | st.dictionaries(words, words, max_size=2).map(canonical),
    "triggers_json": st.lists(objects, max_size=2).map(canonical),
    "state": st.sampled_from(["started", "stopped", "declared"]),
}


def field_of(name: str, kind: Any) -> st.SearchStrategy[Any]:
    """Draws what a field of this name may be."""
    if name == "window_us" and NoneType not in get_args(kind):
        return spans
    if name in FIELDS:
        return FIELDS[name]
    if name.endswith("_json"):
        return objects.map(canonical)
    if name.endswith("_us"):
        return any_us | st.none() if NoneType in get_args(kind) else any_us
    return any_of(kind)


def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """Draws any value of a type of the model."""
    if isinstance(kind, NewType):
        return any_of(kind.__supertype__)
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return st.one_of(*(any_of(part) for part in get_args(kind)))
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if parts[-1] is Ellipsis:
            return st.lists(any_of(parts[0]), max_size=3).map(tuple)
        return st.tuples(*(any_of(part) for part in parts))
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{field.name: field_of(field.name, hints[field.name]) for field in fields(kind)})
    return {str: words, int: whole, bool: st.booleans(), NoneType: st.none()}[kind]


def head(draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[str, Any]:
    """Draws what every read has: of one user and one path, so that reads meet in a stream."""
    return {
        "at_us": draw(recorded_us),
        "took_us": draw(FIELDS["took_us"]),
        "path": "/read",
        "status": draw(st.sampled_from([200, 503, 0])),
        "error": draw(words),
        "by": "",
    }


# Of some Python's hash is the same: what tells two samples apart must not lean on it.
small = st.sampled_from([0, 1, 2, -1, -2, 2**53 - 1])
names = st.sampled_from(["a", "b", "c"])
milli = st.sampled_from([0, 500, 1000, -500, -1000, -1, -2, 2**61 - 1])  # Within 64 bits, as every quantity.
usages = st.lists(st.tuples(st.sampled_from(["cpu", "memory", "disk"]), milli), max_size=3)
containers = st.lists(st.builds(ContainerUsage, name=names, usage=usages.map(tuple)), max_size=2).map(tuple)
samples = st.builds(PodSample, pod=names, timestamp_us=small, window_us=small, containers=containers)
values = st.builds(MetricValue, object=names, timestamp_us=small, window_us=small, value=small)
requests = st.builds(
    MetricsRequest,
    api=st.just("metrics"),
    namespace=st.sampled_from(["shop", "bank"]),
    resource=st.just("pods"),
    object=st.just(""),
    metric=st.just(""),
    selector=st.just(""),
    metric_selector=st.just(""),
)


@st.composite
def reads(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Fact:
    """Draws reads that repeat, lose, gain, move and change items, or fail."""
    answers = st.none() | st.lists(samples, max_size=5).map(tuple)
    if draw(st.booleans()):
        return ResourceMetricsRead(**head(draw), request=draw(requests), samples=draw(answers))
    answers = st.none() | st.lists(values, max_size=5).map(tuple)
    return ValuesRead(**head(draw), request=draw(requests), values=draw(answers))


SEAL = "seal"
anything = any_of(Fact)
histories = st.lists(anything | reads() | st.just(SEAL), max_size=25)


def written_and_read(history: list[Any]) -> list[Fact]:
    """Writes a history and reads it again."""
    with tempfile.TemporaryDirectory() as folder:
        with Writer(Path(folder), source="test", started_us=Micros(0)) as writer:
            for fact in history:
                if fact is SEAL:
                    writer.seal()
                else:
                    writer.add(fact)
        return list(open_recording(Path(folder)).facts())


@settings(max_examples=150, deadline=None)
@given(histories)
def test_every_history_is_read_as_it_was_written(history: list[Any]) -> None:
    facts = [fact for fact in history if fact is not SEAL]
    # As text too: 1 equals True, and would not be the same value.
    assert repr(written_and_read(history)) == repr(facts)
    assert written_and_read(history) == facts


@pytest.mark.parametrize("kind", get_args(Fact), ids=lambda kind: kind.__name__)
def test_every_kind_of_fact_comes_back_with_every_field(kind: type) -> None:
    @settings(max_examples=20, deadline=None)
    @given(st.lists(any_of(kind), min_size=1, max_size=4))
    def law(facts: list[Fact]) -> None:
        assert repr(written_and_read(facts)) == repr(facts)

    law()


keys = st.tuples(names, st.integers(0, 2))
answers = st.lists(st.tuples(keys, small), max_size=7).map(dict)


@given(answers, answers)
def test_what_changed_makes_the_second_answer_of_the_first_in_its_order(before: dict, after: dict) -> None:
    assert list(apply_changes(before, changes_between(before, after)).items()) == list(after.items())


@given(answers)
def test_an_answer_that_repeats_costs_nothing(answer: dict) -> None:
    assert changes_between(answer, answer) == []
