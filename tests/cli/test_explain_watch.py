"""`explain --watch`: keys lead from reconcile to reconcile, and each is explained as by `explain --at`."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.cli.explain_watch import ENTER, HELP, KEYS, RESTORE, STEPS, View, moved
from hpaaudit.report.text import beside
from tests.cli.run import run
from tests.cli.terminal import CTRL_C, LINES, typed, typed_raw

RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
CROWDED = RECORDING.with_name("1.4-sample-missing")
LEFT, RIGHT, HOME, END = "\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F"
UP_PAGE, DOWN_PAGE = "\x1b[5~", "\x1b[6~"
FOOT = r"q: leave"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of a recording."""
    file = tmp_path_factory.mktemp("watch") / "hand.duckdb"
    assert run(f"hpaaudit replay {RECORDING} --into {file}")[0] == 0
    return str(file)


def pages(results: str, keys: Sequence[str]) -> list[str]:
    """The first line of each page that was shown, after no key and after each of these; then it was left."""
    code, shown = typed(["explain", results, "--watch"], [*keys, "q"], FOOT)
    assert code == 0, shown
    return [page.splitlines()[0] for page in shown.split(FOOT)[:-1]]


def first_line(results: str, at: str) -> str:
    """The headline of `explain --at`."""
    return run(f"hpaaudit explain {results} --at {at} -q")[1].splitlines()[0]


def test_keys_lead_to_the_reconciles_that_landmarks_name(results: str) -> None:
    begin, first, divergence, last, before, again = pages(results, [HOME, "d", END, LEFT, RIGHT])
    assert begin == run(f"hpaaudit explain {results} -q")[1].splitlines()[0]
    assert first == first_line(results, "first")
    assert divergence == first_line(results, "first-divergence")
    assert last == again == first_line(results, "last") != before


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of a recording in which several reconciles share an instant."""
    file = tmp_path_factory.mktemp("crowded") / "crowded.duckdb"
    assert run(f"hpaaudit replay {CROWDED} --into {file}")[0] == 0
    return str(file)


def explained(results: str, at: str) -> int:
    """The number of the reconcile that `explain` shows; its decision has to be that of the results."""
    account = json.loads(run(f"hpaaudit explain {results} --at {at} -o json -q")[1])
    number = int(account["reconcile_id"])
    rows = json.loads(run(f'hpaaudit query {results} "from reconciles order by ts, reconcile_id" -o json')[1])
    assert rows[number - 1]["reconcile_id"] == number
    assert account["steps"][-1]["after"] == rows[number - 1]["desired"]
    return number


def test_of_several_reconciles_in_one_instant_a_time_names_the_one_that_scaled_else_the_last(crowded: str) -> None:
    """At 14:09:00 the first of three scaled; at 14:09:30 none of two did."""
    assert [explained(crowded, at) for at in ("14:09:00", "14:09:01", "14:09:30")] == [10, 10, 14]
    assert [explained(crowded, at) for at in ("first", "last")] == [1, 28]


def test_steps_visit_each_reconcile_of_an_instant_once(crowded: str) -> None:
    sql = "select spec_replicas, desired from reconciles order by ts, reconcile_id"
    rows = json.loads(run(f'hpaaudit query {crowded} "{sql}" -o json')[1])
    code, shown = typed(["explain", crowded, "--watch", "--at", "14:09:01"], [RIGHT, RIGHT, RIGHT, LEFT, "q"], FOOT)
    assert code == 0, shown
    stops = re.findall(r"(\d+) of 28 ", shown)
    assert [int(stop) for stop in stops] == [10, 11, 12, 13, 12]
    for stop, page in zip(stops, shown.split(FOOT), strict=False):
        row = rows[int(stop) - 1]
        assert f"input            spec {row['spec_replicas']}," in page
        assert f"Replay {row['desired']}," in page


def test_a_page_is_ten_reconciles(results: str) -> None:
    arguments = ["explain", results, "--watch"]
    code, shown = typed(arguments, [HOME, DOWN_PAGE, DOWN_PAGE, UP_PAGE, UP_PAGE, UP_PAGE, END, DOWN_PAGE, "q"], FOOT)
    assert code == 0, shown
    assert [int(stop) for stop in re.findall(r"(\d+) of 55 ", shown)][1:] == [1, 11, 21, 11, 1, 1, 55, 55]


def test_a_question_mark_shows_every_key_and_any_key_leads_back(results: str) -> None:
    code, shown = typed(["explain", results, "--watch", "--at", "first"], ["?", RIGHT, RIGHT, "?", "q"], FOOT)
    assert code == 0, shown
    first, keys, back, second, again, _ = shown.split(FOOT)
    assert all(f"{names} " in keys and words in keys for names, words in HELP)
    assert "any key: back" in keys
    assert (first.splitlines()[0], again.splitlines()[0]) == (back.splitlines()[0], keys.splitlines()[0])
    assert [int(re.findall(r"(\d+) of 55 ", page)[0]) for page in (first, back, second)] == [1, 1, 2]


@pytest.mark.parametrize("key", ["q", "\x1b", CTRL_C])
def test_however_it_is_left_the_screen_of_before_is_back(results: str, key: str) -> None:
    code, shown = typed_raw(["explain", results, "--watch"], [RIGHT, key], FOOT)
    assert code == 0, shown
    assert shown.startswith(ENTER)
    assert shown.endswith(RESTORE)
    assert (shown.count(ENTER), shown.count(RESTORE)) == (1, 1)


INTERRUPTED = """
import os, signal, sys
from hpaaudit.cli.explain_watch import watch
def text_of(number):
    if number:
        {interruption}
    return "the first"
try:
    watch([False, False], 0, text_of)
finally:
    import termios
    print("canonical" if termios.tcgetattr(0)[3] & termios.ICANON else "raw")
"""


def after_a_page_that(interruption: str) -> tuple[int, str, str]:
    """The exit code, what was shown on the other screen, and what on that of before."""
    code, shown = typed_raw([], [RIGHT], FOOT, program=["-c", INTERRUPTED.format(interruption=interruption)])
    before, _, after = shown.partition(RESTORE)
    assert "canonical" in after
    return code, before, after


def test_an_error_while_a_page_is_made_is_told_on_the_screen_of_before() -> None:
    code, before, after = after_a_page_that("raise ValueError('no text')")
    assert code != 0
    assert "Traceback" in after
    assert "Traceback" not in before


def test_ctrl_c_leaves_while_a_page_is_made_too() -> None:
    code, before, after = after_a_page_that("os.kill(os.getpid(), signal.SIGINT)")
    assert code == 0
    assert "Traceback" not in before + after


def test_keys_that_are_pressed_at_once_all_count(results: str) -> None:
    assert pages(results, [HOME + RIGHT + RIGHT + LEFT + LEFT])[-1] == first_line(results, "first")


def test_without_a_terminal_or_as_json_it_is_refused(results: str) -> None:
    for options in ("--watch", "--watch -o json", "--watch --sql"):
        code, _, error = run(f"hpaaudit explain {results} {options}")
        assert (code, error.count("\n")) == (2, 1)


@given(
    st.lists(st.booleans(), min_size=1, max_size=30),
    st.lists(st.sampled_from([*STEPS, "d", "D", "x", "\x1b[3~"]), max_size=40),
)
def test_no_key_leads_outside(divergent: list[bool], keys: list[str]) -> None:
    view = View(0)
    for key in keys:
        before, view = view, moved(view, key, divergent)
        assert 0 <= view.at < len(divergent)
        assert view.line >= 0
        if key in ("d", "D") and view != View(before.at):
            assert divergent[view.at]


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_the_keys_below_a_page_are_told_on_every_width(results: str, columns: int) -> None:
    code, shown = typed(["explain", results, "--watch"], ["q"], FOOT, columns=columns)
    assert code == 0, shown
    assert all(words in shown for words in KEYS)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) <= LINES


@given(st.integers(20, 250))
def test_the_foot_loses_no_word_and_fits(width: int) -> None:
    lines = beside(("1,000 of 10,000", *KEYS), width)
    assert "   ".join(lines).split("   ") == ["1,000 of 10,000", *KEYS]
    assert max(map(len, lines)) <= width


def test_only_the_reconciles_of_a_time_are_visited(results: str) -> None:
    arguments = ["explain", results, "--watch", "--since", "15:00", "--until", "15:01"]
    code, shown = typed(arguments, [HOME, LEFT, END, RIGHT, "q"], FOOT)
    assert code == 0, shown
    assert [int(stop) for stop in re.findall(r"(\d+) of 4 ", shown)][1:] == [1, 1, 4, 4]
