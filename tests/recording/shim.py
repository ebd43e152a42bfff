"""A disk that misbehaves on demand: `faults.c`, compiled, preloaded, and told which calls fail."""

import errno
import mmap
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

WRITE, SYNC, NAME = 1, 2, 4
ALL = WRITE | SYNC | NAME
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
CONTROL = 16


class Disk:
    """Calls on the files below a folder, in processes that run in `environment`."""

    def __init__(self, folder: Path, control: Path, library: Path) -> None:
        self.environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "FAULT_CONTROL": str(control),
            "FAULT_FOLDER": str(folder),
            "FAULT_LIBRARY": str(library),
        }
        if not control.exists():
            control.write_bytes(bytes(CONTROL))
        with control.open("r+b") as file:
            self._control = mmap.mmap(file.fileno(), CONTROL)

    @classmethod
    def here(cls) -> "Disk":
        """The disk of the environment in which this process runs."""
        return cls(*(Path(os.environ[f"FAULT_{name}"]) for name in ("FOLDER", "CONTROL", "LIBRARY")))

    def misbehave(self, error: int, kinds: int, one_in: int = 1, seed: int = 0) -> None:
        """Lets one in so many calls of these kinds fail."""
        self._control[:] = struct.pack("iIII", error, kinds, one_in, seed)

    def behave(self) -> None:
        """No more faults."""
        self.misbehave(0, 0)


def make_disk(folder: Path, target: Path) -> Disk:
    """Compiles the faults into a place; skips where that cannot be done."""
    if sys.platform != "linux":
        pytest.skip("faults of a disk are preloaded as on Linux: run this there")
    if not shutil.which("gcc"):
        pytest.skip("gcc makes the faults of a disk and is not here: apt-get install gcc")
    library = target / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return Disk(folder, target / "faults", library)
