"""The table of an answer on a terminal: no line is wider, and all of the answer is there, or said to be cut."""

import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.flows.query import named_questions
from hpaaudit.flows.replay import replay
from hpaaudit.report.answer_table import LONGEST_WORD, fitted_table
from hpaaudit.report.text_table import cell, table
from hpaaudit.results.questions import Scope, ask
from tests.recordings.kept import RECORDINGS

WIDTHS = (60, 80, 100, 120, 200)
DAY = datetime(2026, 3, 2, 14, 5, 19, 250_000)  # noqa: DTZ001 DuckDB's timestamps are plain
_RECORDS = re.compile("a line for each value, because a row needs ([0-9]+) columns: -o wide prints rows")
_DAY = re.compile("times are of ([-0-9]+)(, cut to the second)?: -o wide shows them whole")
_SECOND = "times are cut to the second: -o wide shows them whole"


def fits_and_loses_nothing(columns: list[str], rows: list[tuple[Any, ...]], width: int) -> None:
    """The law: no line is wider than the terminal; each value stands there whole, but for what the note says."""
    shown = fitted_table(columns, rows, width)
    lines = shown.text.splitlines()
    assert max(map(len, lines)) <= width, shown.text
    if not rows:
        return
    day, is_record = _DAY.fullmatch(shown.note), _RECORDS.fullmatch(shown.note)
    values = [_as_noted(value, day[1] if day else "", cuts=shown.note == _SECOND) for row in rows for value in row]
    headings = [name.upper() for name in columns] * (len(rows) if is_record else 1)
    assert shown.note == "" or day or is_record or shown.note == _SECOND
    assert _characters(lines) == _characters([*headings, *values])
    words = Counter(word for line in lines for word in line.split())
    room = width // 2 - 1 if is_record else LONGEST_WORD
    assert Counter(word for value in values for word in value.split() if len(word) <= room) <= words
    if is_record:
        assert int(is_record[1]) == max(map(len, table(columns, rows).splitlines())) > width
    else:
        assert len(lines) >= 1 + len(rows)


def _as_noted(value: object, day: str, *, cuts: bool) -> str:
    if not isinstance(value, datetime) or not (day or cuts):
        return cell(value)
    date, _, time = cell(value.replace(microsecond=0)).partition("T")
    assert day in ("", date)
    return time if day else f"{date}T{time}"


def _characters(texts: list[str]) -> Counter[str]:
    return Counter("".join("".join(texts).split()))


@pytest.mark.parametrize("recording", sorted(RECORDINGS))
def test_every_answer_of_every_recording_fits(recording: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    into = tmp_path_factory.mktemp("answers") / "all.duckdb"
    asked = 0
    with replay(RECORDINGS[recording], into=into) as results:
        for question in named_questions().values():
            answer = ask(results, question, Scope(hpa=None, at_us=None, since_us=None, until_us=None))
            rows = results.read(answer.fetchall)
            for width in WIDTHS:
                fits_and_loses_nothing(answer.columns, rows, width)
            asked += bool(rows)
    assert asked > 10


texts = st.text("abc-/ ", max_size=90)
moments = st.integers(0, 200_000_000_000).map(lambda us: DAY + timedelta(microseconds=us))


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.tuples(texts, st.integers(-(10**9), 10**9), moments, texts, st.none() | st.booleans()),
        min_size=1,
        max_size=5,
    ),
    st.integers(24, 250),
    st.sampled_from(["name", "writer_confidence", "count(*) filter (what is not null)", "_"]),
)
def test_every_table_fits(rows: list[tuple[Any, ...]], width: int, heading: str) -> None:
    fits_and_loses_nothing([heading, "n", "at", "detail_of_it", "is_known"], rows, width)


def test_times_are_cut_before_texts_are_wrapped() -> None:
    rows = [(DAY, "one two three", DAY + timedelta(hours=9)), (DAY, "four", DAY)]
    columns = ["first_at", "what", "last_at"]
    assert fitted_table(columns, rows, 80).note == ""
    to_second = fitted_table(columns, rows, 60)
    assert to_second.text.splitlines() == [
        "FIRST_AT              WHAT           LAST_AT",
        "2026-03-02T14:05:19Z  one two three  2026-03-02T23:05:19Z",
        "2026-03-02T14:05:19Z  four           2026-03-02T14:05:19Z",
    ]
    assert to_second.note == _SECOND
    of_day = fitted_table(columns, rows, 40)
    assert of_day.text.splitlines() == [
        "FIRST_AT   WHAT           LAST_AT",
        "14:05:19Z  one two three  23:05:19Z",
        "14:05:19Z  four           14:05:19Z",
    ]
    assert of_day.note == "times are of 2026-03-02, cut to the second: -o wide shows them whole"


def test_times_of_two_days_keep_their_day() -> None:
    rows = [(DAY, "x" * 20), (DAY + timedelta(days=1), "x")]
    shown = fitted_table(["at", "what"], rows, 44)
    assert shown.text.splitlines()[1:] == [
        "2026-03-02T14:05:19Z  xxxxxxxxxxxxxxxxxxxx",
        "2026-03-03T14:05:19Z  x",
    ]


def test_a_text_goes_on_below_itself_and_a_heading_too() -> None:
    rows = [("web", 2, "leave spec.replicas out of the manifests, or ignore it"), ("api", 12, "wait")]
    assert fitted_table(["name", "times_it_was_lost", "next_step"], rows, 40).text.splitlines() == [
        "NAME  TIMES_  NEXT_STEP",
        "         IT_",
        "        WAS_",
        "        LOST",
        "web        2  leave spec.replicas out of",
        "              the manifests, or ignore",
        "              it",
        "api       12  wait",
    ]


def test_what_does_not_fit_has_a_line_for_each_value() -> None:
    rows = [("x" * 30, "y" * 30, 7), ("a", "b", 8)]
    shown = fitted_table(["first", "second", "n"], rows, 50)
    assert shown.text.splitlines() == [
        f"FIRST   {'x' * 30}",
        f"SECOND  {'y' * 30}",
        "N       7",
        "",
        "FIRST   a",
        "SECOND  b",
        "N       8",
    ]
    assert shown.note == "a line for each value, because a row needs 65 columns: -o wide prints rows"


def test_an_answer_without_rows_is_its_headings() -> None:
    assert fitted_table(["at", "who"], [], 80).text == "AT  WHO"
    fits_and_loses_nothing([f"column_{n}" for n in range(50)], [], 60)
