"""Finds, or builds from Go modules, the programs that tests use beside the cluster: kubectl and its like.

    python -m tests.cluster.tools

builds what is missing into the cache of tests.cluster.build, and prints the folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.cluster import build

KUBECTL = f"{build.KUBERNETES}/cmd/kubectl"
MODULES = {"gofakes3": "github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0"}
"""Name and package@version of programs that `go install` builds."""
PLAYER = Path(__file__).parents[1] / "house" / "alerts_test.go"
ALERTS = f"alerts-{hashlib.sha256(PLAYER.read_bytes()).hexdigest()[:8]}"
"""The program made of that file: one of an older file is another program."""
PROMETHEUS = "github.com/prometheus/prometheus@v0.305.0"
TOOLS = ("kubectl", ALERTS, *MODULES)


def folder() -> Path:
    """Where they are kept."""
    return build.cache_folder() / "tools"


def find(name: str) -> str:
    """The program: ours, else that of the PATH; the test is skipped where there is none."""
    ours = folder() / name
    program = str(ours) if ours.exists() else shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not here: make cluster")
    return program


def kubectl(*args: str, config: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run kubectl with a kubeconfig, without one as nobody; it knows no other."""
    environment = {**os.environ, "KUBECONFIG": str(config or os.devnull)}
    command = [find("kubectl"), *args]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def make() -> Path:
    """Build what is missing."""
    into = folder()
    into.mkdir(parents=True, exist_ok=True)
    for name in (name for name in TOOLS if not (into / name).exists()):
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="hpaaudit-tools-") as folder_name:
            work, part = Path(folder_name), into / f".{name}.part"
            if name == "kubectl":
                build.wrapper(work, build.RELEASE)
                build.go("build", "-ldflags", build.stamps(build.RELEASE), "-o", str(part), KUBECTL, cwd=work)
            elif name == ALERTS:
                shutil.copy(PLAYER, work)
                (work / "go.mod").write_text("module alerts\n")
                build.go("get", PROMETHEUS, cwd=work)
                build.go("test", "-c", "-ldflags", "-s -w", "-o", str(part), ".", cwd=work)
            else:
                package, _, version = MODULES[name].partition("@")
                (work / "go.mod").write_text("module tools\n")
                build.go("get", f"{package}@{version}", cwd=work)
                build.go("build", "-ldflags", "-s -w", "-o", str(part), package, cwd=work)
            part.replace(into / name)
        build.say(f"{name}: {time.monotonic() - begun:.0f} s")
    return into


if __name__ == "__main__":
    sys.stdout.write(f"{make()}\n")
