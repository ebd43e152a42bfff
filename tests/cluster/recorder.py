"""Starts `hpaaudit record` as a user does: a process of its own."""

import signal
import subprocess
import sys
from pathlib import Path

from hpaaudit.model.facts import Fact
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]


def command(*args: str) -> list[str]:
    """The command line of `hpaaudit` with these arguments."""
    return [sys.executable, "-c", "from hpaaudit.cli import main; main()", *args]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """Run `hpaaudit` to its end."""
    return subprocess.run(command(*args), cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def recorded(cluster: Cluster, namespace: str, into: Path, *more: str) -> tuple[list[Fact], str]:
    """The facts of a few seconds of a namespace, and what was said."""
    kubeconfig = str(cluster.dir / "admin.kubeconfig")
    options = ("--kubeconfig", kubeconfig, "-n", namespace, "--interval", "500ms", "--for", "3s")
    completed = run("record", "--into", str(into), *options, *more)
    assert completed.returncode == 0, completed.stderr
    return list(open_recording(into).facts()), completed.stderr


class Recorder:
    """A recorder that runs until it is told to end."""

    def __init__(self, into: Path, kubeconfig: Path, *args: str) -> None:
        options = ["record", "--into", str(into), "--kubeconfig", str(kubeconfig), *args]
        self.into = into
        self.process = subprocess.Popen(command(*options), cwd=ROOT, stderr=subprocess.PIPE, text=True)

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Interrupt it; its exit code, and what it said."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> tuple[int, str]:
        """Let it come to its own end; its exit code, and what it said."""
        _, stderr = self.process.communicate(timeout=30)
        return self.process.returncode, stderr
