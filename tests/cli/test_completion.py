"""What a shell completes."""

import pytest
from click.shell_completion import ShellComplete

from hpaaudit.cli import hpaaudit_command
from hpaaudit.results.questions import questions


def completed(*words: str, incomplete: str = "") -> list[str]:
    """What could come next."""
    shell = ShellComplete(hpaaudit_command, {}, "hpaaudit", "_HPAAUDIT_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


def test_commands_are_completed() -> None:
    assert completed(incomplete="tim") == ["timeline"]
    assert completed("import") == ["capture"]


@pytest.mark.usefixtures("at_desk")
def test_questions_are_completed() -> None:
    assert completed("query", "web.duckdb") == [*questions()]
    assert completed("query", "web.duckdb", incomplete="which_pods_d") == ["which_pods_did_not_count"]


@pytest.mark.usefixtures("at_desk")
@pytest.mark.parametrize("command", ["explain", "timeline"])
def test_hpas_are_completed_by_their_beginning_or_their_name(command: str) -> None:
    for incomplete in ("sh", "we"):
        assert completed(command, "web.duckdb", incomplete=incomplete) == ["shop/web"]
    assert completed(command, "web.duckdb", incomplete="other") == []


def test_what_cannot_be_read_completes_nothing() -> None:
    assert completed("explain", "nowhere") == []
