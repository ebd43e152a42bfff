"""A path that the system refuses is an error of one line, whatever the command does with it first."""

import errno
import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.run import run
from tests.recordings.kept import RECORDINGS

LONG = "x" * 300
"""A name that no file system takes: whoever asks for it gets an error, also root, whom no rights stop."""
COMMANDS = (
    "replay {long}",
    "replay {recording} --into {long}.duckdb",
    "explain {long}",
    "timeline {long}",
    "report {recording} --into {long}",
    "report {recording} --into {long}.md",
    "report {long} --into r.html",
    "query {long} what_happened",
    "query {recording} -f {long}",
    "inspect {long}",
    "verify {long}",
    "repair {long}",
    "convert {long} --to v2",
    "import capture {long} --into r",
    "demo --into {long}",
    "record --into {long} --plan --kubeconfig {long}",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_path_that_the_system_refuses_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recording = shlex.quote(str(next(iter(RECORDINGS.values())).resolve()))
    code, _, err = run(f"hpaaudit {command.format(long=LONG, recording=recording)}")
    assert code == 2
    [line] = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert "Traceback" not in err
    assert LONG in line


def test_a_folder_that_may_not_be_entered_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a user without rights gets it: every look at a path below it is refused."""
    closed = tmp_path / "closed"
    stat = os.stat

    def refused(path: str | Path, *args: object, **options: object) -> os.stat_result:
        if str(path).startswith(str(closed)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stat(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refused)
    for command in ("inspect", "verify", "replay", "explain"):
        code, out, err = run(f"hpaaudit {command} {closed}/friday")
        assert (code, out) == (2, "")
        assert re.fullmatch(rf"Error: {closed}/friday\S* cannot be used: Permission denied\n", err)
