"""A disk that is full, read-only or broken: facts wait in memory, and what memory cannot hold is a gap."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording.shim import make_disk

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("first", range(0, 12, 4))
def test_nothing_is_lost_to_a_disk_that_fails_now_and_then(first: int, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    disk = make_disk(folder, tmp_path)
    command = [sys.executable, "-m", "tests.recording.faulty", folder, str(first), str(first + 4)]
    completed = subprocess.run(
        command, cwd=REPOSITORY, env=disk.environment, capture_output=True, text=True, check=False
    )
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.parametrize("mode", ["keeping", "uploading"])
def test_a_full_disk_is_survived(mode: str, tmp_path: Path) -> None:
    """Uploaded segments go first, then pods, metrics, HPAs; each is a gap with both ends, and nothing else is lost."""
    if (
        not shutil.which("unshare")
        or subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("a small disk needs mounts of its own, which are refused here: run this as root")
    command = ["unshare", "-rm", sys.executable, "-m", "tests.recording.full", tmp_path, mode]
    completed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stderr) == (0, "")
