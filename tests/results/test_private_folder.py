"""The folder in which a results file is written: that of a process that died is cleared, that of a living one stays."""

import signal
import subprocess
import sys
from pathlib import Path

from hpaaudit.flows.replay import replay
from hpaaudit.results.private_folder import private_folder
from tests.recordings.kept import RECORDINGS

KILLED = """
import os, signal, sys
from pathlib import Path
from hpaaudit.results.private_folder import private_folder
folder = private_folder(Path(sys.argv[1]))
(folder.path / "staged.duckdb").write_bytes(b"rows")
os.kill(os.getpid(), signal.SIGKILL)
"""


def _unfinished(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


def test_what_a_killed_process_left_is_cleared_by_the_next_replay(tmp_path: Path) -> None:
    file = tmp_path / "results.duckdb"
    killed = [subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False).returncode for _ in range(2)]
    assert killed == [-signal.SIGKILL, -signal.SIGKILL]
    assert len(_unfinished(tmp_path)) == 1  # the second one cleared that of the first
    with replay(RECORDINGS["scaled-by-hand"], into=file):
        assert _unfinished(tmp_path) == []


def test_the_folder_of_a_living_process_stays(tmp_path: Path) -> None:
    file = tmp_path / "results.duckdb"
    first = private_folder(file)
    second = private_folder(file)
    assert first.path != second.path
    assert first.path.is_dir()
    first.drop()
    second.drop()
    assert _unfinished(tmp_path) == []


def test_what_is_of_another_file_or_of_somebody_else_stays(tmp_path: Path) -> None:
    kept = [".other.duckdb.abcd1234.tmp", ".results.duckdb.tmp", ".results.duckdb.mine.tmp"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".results.duckdb.abcd1234.tmp").symlink_to(tmp_path / "elsewhere")
    private_folder(tmp_path / "results.duckdb").drop()
    assert sorted(_unfinished(tmp_path)) == sorted([*kept, ".results.duckdb.abcd1234.tmp"])
    assert (tmp_path / "elsewhere").is_dir()
