"""The shell of `query`: what a person types at a terminal is answered like a command, and an error ends nothing."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from hpaaudit.cli.query_shell import CONTINUED, PROMPT
from tests.cli.run import run
from tests.cli.terminal import typed

LEAVE = "\x04"  # Ctrl-D
SUM = "select 6 * 7;\n"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this user's state."""
    return tmp_path_factory.mktemp("state")


def shell(keys: Sequence[str], state: Path) -> str:
    """What the terminal showed after these keys; the shell ended well."""
    code, shown = typed(
        ["query", str(Path("web.duckdb").absolute())], keys, f"{PROMPT}|{CONTINUED}", {"XDG_STATE_HOME": str(state)}
    )
    assert code == 0, shown
    return shown


@pytest.mark.usefixtures("at_desk")
def test_questions_and_sql_are_answered_as_by_commands(state: Path) -> None:
    shown = shell(["what_happened\n", "select 6 * 7\n", "  as answer;\n", LEAVE], state)
    _, answer, _ = run("hpaaudit query web.duckdb what_happened")
    assert (
        answer.splitlines()[0].split()
        == next(line for line in shown.splitlines() if line.startswith(answer.split()[0])).split()
    )
    assert "ANSWER\n    42\n" in shown


@pytest.mark.usefixtures("at_desk")
def test_sql_that_was_not_ended_does_not_swallow_the_next_question(state: Path) -> None:
    shown = shell(["select 6 * 7\n", "what_happened\n", SUM, LEAVE], state)
    assert "The SQL above was dropped: it did not end with ;" in shown
    _, answer, _ = run("hpaaudit query web.duckdb what_happened")
    assert answer.split()[0] in shown
    assert "42" in shown


@pytest.mark.usefixtures("at_desk")
def test_help_tells_of_a_question_and_of_a_relation(state: Path) -> None:
    shown = shell(["help scale_events\n", "? what_happened\n", "help nosuch\n", LEAVE], state)
    assert "writer_class" in shown
    assert "nosuch" in shown
    _, columns, _ = run("hpaaudit query web.duckdb what_happened --columns")
    assert columns.splitlines()[0].strip() in shown


@pytest.mark.usefixtures("at_desk")
def test_an_error_is_a_line_and_the_shell_goes_on(state: Path) -> None:
    shown = shell(
        [
            "what_hapened\n",
            "select a from b;\n",
            "what_happened --at\n",
            "what_happened 'a\n",
            "select 6 * 7;\n",
            LEAVE,
        ],
        state,
    )
    assert "Traceback" not in shown
    assert "did you mean" in shown
    assert "42" in shown


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize(
    "keys",
    [
        [LEAVE],
        ["exit\n"],
        ["quit\n"],
        ["\n", ";\n", "\\q\n"],
        ["select 1\n", "\x03", LEAVE],
        ["select 1\n", LEAVE],
    ],
    ids=["ctrl-d", "exit", "quit", "q", "ctrl-c", "half-way"],
)
def test_the_shell_is_left_in_the_ways_of_other_shells(keys: Sequence[str], state: Path) -> None:
    assert "a question by its name" in shell(keys, state).lower()


@pytest.mark.usefixtures("at_desk")
def test_help_lists_questions_and_tables_relations(state: Path) -> None:
    shown = shell(["help\n", "help what_happened\n", "tables\n", LEAVE], state)
    assert "why_no_scale_up" in shown
    assert "scale_event_matches" in shown
    assert run("hpaaudit query web.duckdb what_happened --columns")[1].splitlines()[-1].strip() in shown


@pytest.mark.usefixtures("at_desk")
def test_what_was_typed_is_kept_for_the_next_time(tmp_path: Path) -> None:
    shell([SUM, LEAVE], tmp_path)
    assert "select 6 * 7;" in (tmp_path / "hpaaudit" / "query-history").read_text()
    assert shell(["\x10\n", LEAVE], tmp_path).count("42") == 1  # Ctrl-P: the line before


@pytest.mark.usefixtures("at_desk")
def test_without_a_terminal_the_questions_are_listed() -> None:
    code, shown, _ = run("hpaaudit query web.duckdb")
    assert code == 0
    assert shown == run("hpaaudit query --list")[1] == run("hpaaudit query web.duckdb --list")[1]


def test_what_is_no_results_file_is_said_before_anything_is_typed(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no results")
    code, shown = typed(["query", os.fspath(tmp_path / "notes.txt")], [], PROMPT)
    assert code == 2
    assert shown.startswith("Error: ")
