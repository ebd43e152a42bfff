"""A recorder whose disk refuses writes goes on, says so once, and writes everything when the disk accepts it again."""

import errno
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hpaaudit.model.facts import Ended, Gap, ResourceMetricsRead
from hpaaudit.model.units import SECOND
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import ROOT, command
from tests.recording.shim import ALL, SYNC, Disk, make_disk

Create = Callable[..., None]
REFUSED = "new facts wait in memory until it accepts writes again"
TAKEN = "the disk accepts writes again"


@contextmanager
def recorder(into: Path, disk: Disk, cluster: Cluster, namespace: str) -> "Iterator[subprocess.Popen[str]]":
    """A recorder of a namespace, on a disk that may misbehave; none is left behind by a test that fails."""
    options = ("--kubeconfig", str(cluster.dir / "admin.kubeconfig"), "-n", namespace, "--interval", "500ms")
    with subprocess.Popen(
        command("record", "--into", str(into), *options),
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env=disk.environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until_logged(into: Path) -> None:
    """Waits until a recorder has begun its log."""
    while not (into / "log/000001.wal").exists():
        time.sleep(0.1)


def heard(process: "subprocess.Popen[str]", words: str) -> str:
    """Reads what a recorder says until it says this."""
    assert process.stderr
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(words)


def test_a_recorder_outlives_a_full_disk_and_loses_nothing(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    into = tmp_path / "recording"
    disk = make_disk(into, tmp_path)
    with recorder(into, disk, cluster, namespace) as process:
        until_logged(into)
        disk.misbehave(errno.ENOSPC, ALL)
        assert "No space left on device" in heard(process, REFUSED)
        since = time.time()
        time.sleep(2)
        until = time.time()
        disk.behave()
        heard(process, TAKEN)
        process.terminate()
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 0, stderr
    assert REFUSED not in stderr
    assert verify(into, reread=True).damages == ()
    recording = open_recording(into)
    assert recording.complete
    assert not [gap for gap in recording.gaps if "written" in gap.cause]
    facts = list(recording.facts())
    assert isinstance(facts[-1], Ended)
    reads = [fact.at_us / SECOND for fact in facts if isinstance(fact, ResourceMetricsRead)]
    assert [at for at in reads if since < at < until]  # what was seen meanwhile


def test_a_recorder_that_starts_again_on_a_disk_that_refuses_waits_for_it(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    into = tmp_path / "recording"
    disk = make_disk(into, tmp_path)
    with recorder(into, disk, cluster, namespace) as first:
        until_logged(into)
        first.kill()
        first.communicate()
    disk.misbehave(errno.EROFS, ALL)
    with recorder(into, disk, cluster, namespace) as process:
        assert "Read-only file system" in heard(process, "It is tried again until the disk accepts it.")
        disk.behave()
        heard(process, f"continuing in {into}")
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert verify(into, reread=True).damages == ()
    assert [gap.prefix for gap in open_recording(into).facts() if isinstance(gap, Gap)] == ["*"]


def test_a_second_signal_does_not_wait_for_the_disk(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    into = tmp_path / "recording"
    disk = make_disk(into, tmp_path)
    with recorder(into, disk, cluster, namespace) as process:
        until_logged(into)
        acknowledged = len(list(open_recording(into).facts()))
        disk.misbehave(-600, SYNC)
        process.terminate()
        time.sleep(2)
        assert process.poll() is None
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert verify(into, reread=True).damages == ()
    assert len(list(open_recording(into).facts())) >= acknowledged
