"""How far a replay is, shown on a terminal only, and only if it takes long."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.cli import _run, progress
from hpaaudit.cli.progress import ProgressLine
from hpaaudit.flows.replay import replay
from hpaaudit.report.progress import replay_line, steps_line
from tests.cli.run import run


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def shown_after(seconds: float, stderr: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False) -> str:
    """What stderr gets of a progress that was begun so long ago, then of a warning."""
    monkeypatch.setattr(sys, "stderr", stderr)
    times = iter([0.0, seconds, seconds, seconds])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with ProgressLine(quiet=quiet) as line:
        line(100, 400)
        line(101, 400)
        line.warn("a warning")
    return stderr.getvalue()


def test_what_takes_long_is_shown_in_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "decided 100 of 400 reconciles, 20 a second, 15 s left"
    assert shown_after(5.0, Terminal(), monkeypatch) == f"\r\x1b[K{line}\r\x1b[Ka warning\n"


def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_after(1.9, Terminal(), monkeypatch) == "a warning\n"


def test_what_is_quiet_shows_not_even_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_after(5.0, Terminal(), monkeypatch, quiet=True) == ""


def test_a_pipe_gets_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_after(5.0, io.StringIO(), monkeypatch) == "a warning\n"


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(0.1, 1e6))
def test_the_line_is_about_what_is_left(decided: int, planned: int, seconds: float) -> None:
    line = replay_line(decided, planned, seconds)
    assert (" left" in line) == (planned <= decided * 100 and decided < planned)
    assert f"decided {decided:,}" in line


@pytest.mark.parametrize(("decided", "is_told"), [(1, False), (699, False), (700, True), (35_000, True)])
def test_nothing_is_said_of_the_time_left_until_a_hundredth_is_done(decided: int, is_told: bool) -> None:
    line = replay_line(decided, 70_000, 3.0)
    assert line.startswith(f"decided {decided:,} of 70,000 reconciles")
    assert (" s left" in line) == is_told


@pytest.mark.usefixtures("at_desk")
def test_every_reconcile_of_a_replay_is_counted() -> None:
    assert run("hpaaudit import capture people.jsonl.gz --into counted")[0] == 0
    calls: list[tuple[int, int]] = []
    with replay("counted", progress=lambda decided, planned: calls.append((decided, planned))) as results:
        reconciles = results.rows("select count(*) as n from reconciles")[0]["n"]
    assert [decided for decided, _ in calls] == list(range(1, len(calls) + 1))
    assert {planned for _, planned in calls} == {len(calls)}
    assert reconciles == len(calls) > 0


def test_verbose_says_how_long_each_step_took_in_pipes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    times = iter([0.0, 1.0, 4.5, 6.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with ProgressLine(quiet=False, verbose=True) as line:
        line(100, 400)
        line(101, 400)
        line(400, 400)
    assert stderr.getvalue() == "opened 1.00 s, decided 3.50 s, compared 1.50 s; 6.00 s in all\n"


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=5))
def test_the_steps_add_up_to_the_whole(ends: list[float]) -> None:
    begins = [0.0, *sorted(ends)]
    line = steps_line([(f"step{number}", begin) for number, begin in enumerate(begins[:-1])], begins[-1])
    took = [float(text) for text in re.findall(r"([\d.]+) s", line)]
    assert sum(took[:-1]) == pytest.approx(took[-1], abs=0.01 * len(took))


@pytest.fixture
def recording(at_desk: Path) -> None:
    """The capture, imported as the recording `verbose`."""
    if not (at_desk / "verbose").exists():
        assert run("hpaaudit import capture people.jsonl.gz --into verbose")[0] == 0


SLOW = (
    "replay verbose", "explain verbose", "timeline verbose", "query verbose what_happened",
    "report verbose --into - ", "import capture people.jsonl.gz --into piped", "verify verbose --deep",
    "demo --into demo.duckdb --overwrite",
)  # fmt: skip
"""Commands that show their progress when they take long."""


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("command", SLOW)
def test_no_command_shows_its_progress_in_a_pipe(command: str, at_desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal it does, however little there is to do: no command is patient here."""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)

    def told(stderr: io.StringIO) -> str:
        for file in (at_desk / "verbose").glob("*.duckdb"):
            file.unlink()
        shutil.rmtree(at_desk / "piped", ignore_errors=True)
        monkeypatch.setattr(sys, "stderr", stderr)
        with contextlib.redirect_stdout(io.StringIO()):
            assert _run(shlex.split(command)) == 0
        return stderr.getvalue()

    assert "\r\x1b[K" in told(Terminal())
    in_a_pipe = told(io.StringIO())
    assert "\r" not in in_a_pipe
    assert "\x1b" not in in_a_pipe


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "2>&- >&-"])
@pytest.mark.parametrize("command", ["replay verbose", "explain web.duckdb", "timeline web.duckdb", "query web.duckdb"])
def test_a_command_works_without_one_of_its_streams(command: str, closed: str, at_desk: Path) -> None:
    """As services and cron start it. What could be read is not less for that."""
    shell = f"{shlex.quote(sys.executable)} -m hpaaudit {command} {closed}"
    ended = subprocess.run(["sh", "-c", shell], cwd=at_desk, capture_output=True, check=False)
    assert ended.returncode == 0, ended
    assert (ended.stdout == b"") == (">&- " in f" {closed} ".replace("2>&- ", ""))


@pytest.mark.usefixtures("recording")
@pytest.mark.parametrize(
    "command",
    ["explain web.duckdb", "timeline web.duckdb", "query web.duckdb what_happened", "report web.duckdb --into v.html",
     "import capture people.jsonl.gz --into imported", "replay verbose", "inspect verbose", "verify verbose",
     "verify verbose --deep"],
)  # fmt: skip
def test_every_command_that_may_take_long_knows_verbose(command: str) -> None:
    code, _, err = run(f"hpaaudit -v {command}")
    assert code == 0
    assert re.search(r"^opened [\d.]+ s.*; [\d.]+ s in all$", err, re.MULTILINE)
