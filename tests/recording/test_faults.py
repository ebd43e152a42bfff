"""A disk that is full, read-only or broken is survived: what is seen waits, and what cannot wait is a gap."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the faults."""
    if sys.platform != "linux":
        pytest.skip("faults of a disk are preloaded as on Linux: run this there")
    if not shutil.which("gcc"):
        pytest.skip("gcc makes the faults of a disk and is not here: apt-get install gcc")
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"], check=True)
    return library


@pytest.mark.parametrize("first", range(0, 12, 4))
def test_nothing_is_lost_to_a_disk_that_fails_now_and_then(first: int, shim: Path, tmp_path: Path) -> None:
    control = tmp_path / "control"
    control.write_bytes(bytes(16))
    folder = tmp_path / "disk"
    folder.mkdir()
    told = {"LD_PRELOAD": str(shim), "FAULT_CONTROL": str(control), "FAULT_FOLDER": str(folder)}
    command = [sys.executable, "-m", "tests.recording.faulty", folder, str(first), str(first + 4)]
    done = subprocess.run(
        command, cwd=REPOSITORY, env={**os.environ, **told}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("mode", ["keeping", "uploading"])
def test_a_full_disk_is_survived(mode: str, tmp_path: Path) -> None:
    """Uploaded segments go first, then pods, metrics, HPAs; each is a gap with both ends, and nothing else is lost."""
    if (
        not shutil.which("unshare")
        or subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("a small disk needs mounts of its own, which are refused here: run this as root")
    command = ["unshare", "-rm", sys.executable, "-m", "tests.recording.full", tmp_path, mode]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
