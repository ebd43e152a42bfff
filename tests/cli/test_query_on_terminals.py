"""`query` in a real pseudo-terminal: every line fits, the answer is whole, and what was cut is said."""

from pathlib import Path
from typing import Any

import pytest

from hpaaudit.cli.query_shell import PROMPT
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.query import named_questions, query
from hpaaudit.flows.replay import replay
from hpaaudit.report.answer_table import fitted_table
from tests.cli.terminal import typed

LEAVE = "\x04"  # Ctrl-D


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the incident in which Argo CD wrote."""
    into = tmp_path_factory.mktemp("incident") / "gitops-loop.duckdb"
    replay(bundled_recording("gitops-loop"), into=into).close()
    return into


@pytest.fixture(scope="module")
def answers(incident: Path) -> dict[str, tuple[list[str], list[tuple[Any, ...]]]]:
    """Columns and rows of the answers that have rows, by question."""
    every = {name: query(incident, name) for name in named_questions()}
    return {name: (answer.columns, rows) for name, answer in every.items() if (rows := answer.rows())}


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 200])
def test_every_answer_fits_the_terminal(
    columns: int, incident: Path, answers: dict[str, tuple[list[str], list[tuple[Any, ...]]]]
) -> None:
    """All questions are asked in one shell, and the terminal shows what `fitted_table` makes of their answers."""
    keys = [*(f"{name}\n" for name in answers), LEAVE]
    code, shown = typed(["query", str(incident)], keys, PROMPT, columns=columns)
    assert code == 0, shown
    _, *parts = shown.split(PROMPT)
    assert len(parts) == len(keys)
    for part, (names, rows) in zip(parts, answers.values(), strict=False):
        fitted = fitted_table(names, rows, columns)
        _, *lines = part.splitlines()  # what was typed
        assert fitted.text in part
        assert max(map(len, lines)) <= columns
        assert fitted.note in " ".join(part.split())


def test_a_script_and_wide_get_every_row_in_one_line(incident: Path) -> None:
    for options in (["-o", "wide"], ["--no-headers"]):
        _, shown = typed(["query", str(incident), "who_wrote_replicas", "-q", *options], [], PROMPT, columns=60)
        rows = [line for line in shown.splitlines() if line.startswith("shop")]
        assert all("managed_fields" in row and "2026-11-25T23:" in row for row in rows), shown
        assert [row.split()[3] for row in rows] == ["kube-controller-manager", "argocd-application-controller"]
