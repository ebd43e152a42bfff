"""What a shell completes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from hpaaudit.cli import COMMANDS, hpaaudit_command
from hpaaudit.model.landmark import Landmark
from hpaaudit.results.questions import questions


def completed(*words: str, incomplete: str = "") -> list[str]:
    """What could come next."""
    os.environ["COMP_WORDS"] = " ".join(["hpaaudit", *words, incomplete])
    shell = ShellComplete(hpaaudit_command, {}, "hpaaudit", "_HPAAUDIT_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), incomplete)]


def test_commands_are_completed() -> None:
    assert completed(incomplete="tim") == ["timeline"]
    assert completed("import") == ["capture"]


def test_the_commands_that_help_explains_are_completed() -> None:
    assert completed("help") == [*COMMANDS]
    assert completed("help", incomplete="re") == [name for name in COMMANDS if name.startswith("re")]
    assert completed("help", "import") == ["capture"]
    assert completed("help", "replay") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_the_commands_behind_help(shell: str, tmp_path: Path) -> None:
    words = {"COMP_WORDS": "hpaaudit help tim", "COMP_CWORD": "tim" if shell == "fish" else "2"}
    completing = subprocess.run(
        [sys.executable, "-c", "from hpaaudit.cli import main; main()"],
        env={**os.environ, **words, "_HPAAUDIT_COMPLETE": f"{shell}_complete"},
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "timeline" in completing.stdout


def test_incidents_that_come_with_the_program_are_completed() -> None:
    assert completed("demo", incomplete="1.1") == [
        "1.1-forbidden-window",
        "1.10-unready-pods-multiplied",
        "1.15-pending-pods",
    ]


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
    assert completed(command, "web.duckdb", "hpa", incomplete="w") == ["shop/web"]
    assert completed(command, "web.duckdb", "shop/web", incomplete="w") == []


def test_names_of_reconciles_are_completed() -> None:
    assert completed("explain", "web.duckdb", "--at") == [*Landmark]
    assert completed("query", "web.duckdb", "--at", incomplete="p") == ["prev"]


def test_what_cannot_be_read_completes_nothing() -> None:
    assert completed("explain", "nowhere") == []


@pytest.mark.usefixtures("at_desk")
def test_the_value_of_an_option_is_completed_as_the_argument() -> None:
    assert completed("explain", "web.duckdb", "--hpa", incomplete="we") == ["shop/web"]
    assert completed("query", "web.duckdb", "--hpa", incomplete="shop/") == ["shop/web"]
    assert completed("timeline", "web.duckdb", "-n", incomplete="s") == ["shop"]


def test_recordings_and_results_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("friday", "old/monday", ".hidden"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("friday", "old/monday"):
        (tmp_path / folder / "recording.json").touch()
    (tmp_path / "friday.duckdb").touch()
    (tmp_path / "friday.txt").touch()
    monkeypatch.chdir(tmp_path)
    for command in ("inspect", "verify", "repair", "replay"):
        assert completed(command) == ["friday", "old/"]
        assert completed(command, incomplete="old/") == ["old/monday"]
        assert completed(command, incomplete=f"{tmp_path}/f") == [f"{tmp_path}/friday"]
        assert completed(command, incomplete="nowhere/x") == []
    for command in ("explain", "timeline", "query", "report"):
        assert completed(command, incomplete="f") == ["friday", "friday.duckdb"]


def test_releases_flags_and_zones_are_completed() -> None:
    assert completed("replay", "--release")[:2] == ["1.37", "1.36"]
    assert completed("replay", "--release", incomplete="1.2")[0] == "1.29"
    assert completed("replay", "--flag", incomplete="tol") == ["tolerance="]
    assert completed("replay", "--flag", incomplete="horizontal-pod-autoscaler-tol") == [
        "horizontal-pod-autoscaler-tolerance="
    ]
    assert completed("timeline", "--tz", incomplete="Europe/Berl") == ["Europe/Berlin"]
    assert completed("timeline", "--tz", incomplete="loca")[0] == "local"
