"""`explain --watch`: keys lead from reconcile to reconcile, and each is explained as by `explain --at`."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.cli.explain_watch import STEPS, View, moved
from tests.cli.run import run
from tests.cli.terminal import typed

RECORDING = Path(__file__).parents[2] / "recordings" / "scaled-by-hand"
LEFT, RIGHT, HOME, END = "\x1b[D", "\x1b[C", "\x1b[H", "\x1b[F"
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


def test_keys_that_are_pressed_at_once_all_count(results: str) -> None:
    assert pages(results, [HOME + RIGHT + RIGHT + LEFT + LEFT])[-1] == first_line(results, "first")


def test_without_a_terminal_or_as_json_it_is_refused(results: str) -> None:
    for options in ("--watch", "--watch -o json", "--watch --sql"):
        code, _, error = run(f"hpaaudit explain {results} {options}")
        assert (code, error.count("\n")) == (2, 1)


@given(
    st.lists(st.booleans(), min_size=1, max_size=30),
    st.lists(st.sampled_from([*STEPS, "d", "D", "x", "\x1b[5~"]), max_size=40),
)
def test_no_key_leads_outside(divergent: list[bool], keys: list[str]) -> None:
    view = View(0)
    for key in keys:
        before, view = view, moved(view, key, divergent)
        assert 0 <= view.at < len(divergent)
        assert view.line >= 0
        if key in ("d", "D") and view != View(before.at):
            assert divergent[view.at]
