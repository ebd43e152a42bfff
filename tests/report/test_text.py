"""Small words: what is printed is short, aligned and harmless."""

from collections import Counter
from contextvars import copy_context
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.model.counted import counted
from hpaaudit.model.units import Milli
from hpaaudit.report.text import clock, duration, paragraph, printable, quantity, use_terminal
from hpaaudit.report.text_table import NARROWEST_LAST, page_table, table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("shop/web", "shop/web"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2028", "\\u2028"),
        ("größe 数", "größe 数"),
    ],
)
def test_what_could_steer_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_no_text_leaves_a_control_character(text: str) -> None:
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in printable(text))


@given(st.text())
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0s"), (22.4, "22s"), (59.6, "1m 00s"), (300, "5m 00s"), (3599, "59m 59s"), (7500, "2h 05m")],
)
def test_a_length_of_time_is_short(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(("milli", "shown"), [(0, "0"), (1160, "1160m"), (2000, "2"), (-500, "-500m"), (-2000, "-2")])
def test_a_quantity_is_written_as_kubernetes_does(milli: int, shown: str) -> None:
    assert quantity(Milli(milli)) == shown


def test_small_words() -> None:
    assert clock(micros("2026-03-02T14:05:19.9Z")) == "14:05:19Z"
    assert (counted(1, "pod"), counted(2, "pod")) == ("1 pod", "2 pods")
    assert paragraph("a\x1bb") == "  a\\x1bb"


def test_a_table_sets_numbers_to_the_right_and_text_to_the_left() -> None:
    rows = [("web", 5, None, True), ("checkout", 120, 1.5, False)]
    assert table(("name", "pods", "ratio", "hot"), rows).splitlines() == [
        "NAME      PODS  RATIO  HOT",
        "web          5      -  yes",
        "checkout   120    1.5  no",
    ]


def test_a_table_shows_times_in_utc_and_lists_in_a_row() -> None:
    rows = [(datetime(2026, 3, 2, 14, 5), ["a", "b"], 2.0)]  # noqa: DTZ001 DuckDB's timestamps are plain
    assert table(("at", "who", "n"), rows).splitlines() == [
        "AT                    WHO   N",
        "2026-03-02T14:05:00Z  a, b  2",
    ]


def test_a_table_without_rows_is_its_headings() -> None:
    assert table(("at", "who"), []) == "AT  WHO"


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 10**6), st.text("abcd-", max_size=60), st.text("abc ", max_size=120)), min_size=1
    ),
    st.integers(60, 200),
)
def test_a_table_of_a_page_loses_no_word_of_its_last_column(rows: list[tuple[int, str, str]], width: int) -> None:
    """On a terminal they go on below; a time stays whole, and the columns before are cut where they must be."""
    stamped = [("14:05:19Z", number, by, why) for number, by, why in rows]

    def drawn() -> str:
        use_terminal(width)
        return page_table(("time", "to", "by", "why"), stamped)

    lines = copy_context().run(drawn).splitlines()[1:]
    assert max(map(len, lines)) <= width
    assert sum("14:05:19Z" in line for line in lines) == len(rows)
    words = [word for line in lines for word in line.split()]
    told = [word for *_, why in rows for word in why.split() if len(word) <= NARROWEST_LAST]
    assert Counter(told) <= Counter(words)
