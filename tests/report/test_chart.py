"""A chart is read back: every number that a line has is where its label and its column say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.chart import (
    ASCII,
    UNICODE,
    Axis,
    Glyphs,
    block_row,
    passages,
    scale_of,
    step_rows,
    ticks,
    time_row,
)

NOON = micros("2026-03-02T12:00:00Z")


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    """From less than a second to years, in one column and in many."""
    length = draw(st.integers(0, 3 * 365 * 24 * 3600 * SECOND))
    return Axis(NOON, Micros(NOON + length), draw(st.integers(1, 250)))


@st.composite
def steps(draw: st.DrawFn, axis: Axis, top: int) -> list[tuple[Micros, int | None]]:
    """A line that begins before or in the axis, with numbers from 0 to `top`."""
    times = draw(st.lists(st.integers(axis.first_us - SECOND, axis.last_us), max_size=30, unique=True))
    numbers = st.one_of(st.integers(0, top), st.none()) if draw(st.booleans()) else st.integers(0, top)
    return [(Micros(at_us), draw(numbers)) for at_us in sorted(times)]


def value_at(line: list[tuple[Micros, int | None]], at_us: int) -> int | None:
    """What a line is at an instant."""
    return next((value for begun_us, value in reversed(line) if begun_us <= at_us), None)


@given(axes())
def test_columns_divide_the_time_without_a_gap(axis: Axis) -> None:
    assert axis.column(axis.first_us) == 0
    assert axis.column(Micros(axis.first_us - 1)) is axis.column(Micros(axis.last_us + 1)) is None
    assert axis.start(axis.columns) == axis.last_us + 1
    for column in range(axis.columns):
        first_us, after_us = axis.start(column), axis.start(column + 1)
        for at_us in {first_us, after_us - 1}:
            if first_us <= at_us < after_us:
                assert axis.column(at_us) == column


@given(st.data(), axes())
def test_a_line_is_read_back_from_its_chart(data: st.DataObject, axis: Axis) -> None:
    """Where each number has a row of its own: each column shows every number that the line had there, and no other."""
    line = data.draw(steps(axis, 9))
    rows = step_rows(line, axis, 10, data.draw(st.sampled_from([UNICODE, ASCII])))
    for column in range(axis.columns):
        first_us, after_us = axis.start(column), axis.start(column + 1)
        inside = {value for at_us, value in line if first_us <= at_us < after_us} | {value_at(line, first_us)}
        numbers = inside - {None}
        drawn = [int(label) for label, cells in rows if label and cells[column] != " "]
        assert (min(drawn), max(drawn)) == (min(numbers), max(numbers)) if numbers else not drawn  # type: ignore[type-var]


@given(st.data(), axes(), st.integers(2, 12))
def test_labels_of_a_high_chart_name_only_what_is_there(data: st.DataObject, axis: Axis, height: int) -> None:
    line = data.draw(steps(axis, 5000))
    rows = step_rows(line, axis, height, UNICODE)
    assert len(rows) <= height
    there = {value for passage in passages(line, axis) for value in passage.values}
    assert len({len(cells) for _, cells in rows}) == 1
    ends = [int(end) for label, _ in rows for end in label.split("-") if label]
    assert set(ends) <= there | {0}
    assert not there or {min(there), max(there)} <= set(ends)


@given(st.data(), axes())
def test_the_second_line_is_drawn_where_it_differs_and_nowhere_else(data: st.DataObject, axis: Axis) -> None:
    line, other = data.draw(steps(axis, 9)), data.draw(steps(axis, 9))
    rows = step_rows(line, axis, 10, UNICODE, other=other)
    for column, (ours, theirs) in enumerate(zip(passages(line, axis), passages(other, axis), strict=True)):
        dotted = {int(label) for label, cells in rows if cells[column] == UNICODE.other}
        on_the_way = range(min(ours.values), max(ours.values) + 1) if ours.values else range(0)
        assert dotted == {value for value in theirs.values if value not in on_the_way}


@given(axes(), st.sampled_from([UNICODE, ASCII]))
def test_a_time_below_a_chart_stands_at_its_column(axis: Axis, glyphs: Glyphs) -> None:
    row = time_row(axis, glyphs)
    assert len(row) <= axis.columns
    for tick in re.finditer(f"{re.escape(glyphs.tick)}([0-9:-]+)", row):
        text = tick[1]
        if "-" in text:
            assert axis.column(micros(f"{text}T00:00:00Z")) == tick.start()
        else:
            whole = text if len(text) == 8 else f"{text}:00"
            days = range(NOON // 86_400_000_000 - 1, axis.last_us // 86_400_000_000 + 1)
            hours, minutes, seconds = map(int, whole.split(":"))
            of_day = (hours * 3600 + minutes * 60 + seconds) * SECOND
            assert tick.start() in {axis.column(day * 86_400_000_000 + of_day) for day in days}


@pytest.mark.parametrize("columns", [30, 60, 200])
def test_a_recording_over_midnight_shows_the_day_that_begins(columns: int) -> None:
    axis = Axis(micros("2026-03-02T23:10:00Z"), micros("2026-03-03T01:10:00Z"), columns)
    shown = dict(ticks(axis, None))
    midnight = axis.column(micros("2026-03-03T00:00:00Z"))
    assert midnight is not None
    assert shown[midnight] == "2026-03-03"
    assert "00:00" not in shown.values()
    row = time_row(axis, UNICODE)
    assert row[midnight:].startswith("╵2026-03-03")
    assert "".join(row.split("╵2026-03-03")).count("-") == 0
    other = Axis(Micros(axis.first_us + SECOND * 3600), axis.last_us, columns)
    assert not any("-" in text for text in dict(ticks(other, None)).values())


def test_bounds_are_shown_only_where_they_do_not_flatten_the_line() -> None:
    axis = Axis(NOON, Micros(NOON + 60 * SECOND), 20)
    line: list[tuple[Micros, int | None]] = [(NOON, 4), (Micros(NOON + 30 * SECOND), 6)]
    near = step_rows(line, axis, 10, UNICODE, bounds=[[(NOON, 8)], [(NOON, 2)]])
    assert [label for label, _ in near] == ["8", "", "6", "", "4", "", "2"]
    far = step_rows(line, axis, 10, UNICODE, bounds=[[(NOON, 800)], [(NOON, 1)]])
    assert [label for label, _ in far] == ["6", "", "4"]


@pytest.mark.parametrize(
    ("share", "block"),
    [(None, " "), (0, " "), (0.001, "▁"), (0.5, "▄"), (1, "█"), (7, "█")],
)
def test_a_block_shows_a_share_and_nothing_is_lost(share: float | None, block: str) -> None:
    assert block_row([share], UNICODE) == block


@given(st.lists(st.integers(0, 10**6), min_size=1), st.integers(1, 40))
def test_a_greater_number_is_never_on_a_lower_row(values: list[int], height: int) -> None:
    scale = scale_of(values, height)
    rows = [scale.row(value) for value in sorted(values)]
    assert rows == sorted(rows)
    assert rows[0] == 0
    assert rows[-1] == scale.rows - 1
