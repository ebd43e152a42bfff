"""`record --upload` as it runs in a Pod: a real API server on one side, a real S3-compatible server on the other."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hpaaudit.recording.inspection.verify import verify
from tests.cli.api_server import kubeconfig
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import ROOT, Recorder, run
from tests.recording.s3 import BUCKET, SECRET, Store, s3

Create = Callable[..., None]
URL = f"s3://{BUCKET}/prod/hpas"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A server, and an environment that leads to it."""
    with s3(tmp_path, monkeypatch) as running:
        yield running


def test_a_recording_and_what_it_went_on_with_are_in_the_store_when_it_ends(
    store: Store, cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    """SIGTERM, as a Pod is ended; then a new Pod on the same disk."""
    create("checkout")
    into, admin = tmp_path / "recording", cluster.dir / "admin.kubeconfig"
    for count in (1, 2):
        options = ("-n", namespace, "--interval", "500ms", "--upload", URL, "--listen", "127.0.0.1:0", "--log", "json")
        recorder = Recorder(into, admin, *options)
        assert recorder.process.stderr
        url = json.loads(recorder.process.stderr.readline())["url"]
        while recorder.process.poll() is None:
            with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:  # noqa: S310  # our own address
                text = answer.read().decode()
            if 'hpaaudit_cache_objects{resource="pods"} 1.0' in text:
                break
        assert "hpaaudit_upload_failures_total 0.0\n" in text
        code, output = recorder.end(signal.SIGTERM)
        assert code == 0, output
        assert SECRET not in output
        back = store.download("prod/hpas", tmp_path / f"back-{count}")
        verification = verify(back, reread=True)
        assert verification.damages == ()
        assert verification.complete
        assert verification.segments == len(list((into / "segments").iterdir())) >= count


def test_a_store_that_is_away_keeps_nobody_from_recording(
    store: Store, cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    store.down()
    code = "import hpaaudit.flows.record as flow; flow.UPLOAD_SECONDS = 1; from hpaaudit.cli import main; main()"
    options = ["record", "--into", str(tmp_path / "recording"), "--kubeconfig", str(cluster.dir / "admin.kubeconfig")]
    more = ["-n", namespace, "--interval", "500ms", "--for", "2s", "--upload", URL, "--log", "json"]
    completed = subprocess.run(
        [sys.executable, "-c", code, *options, *more], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    events = [json.loads(line)["event"] for line in completed.stderr.splitlines()]
    event_names = [event for event in events if not event.endswith("_sealed")]
    # The estimate and the first upload do not wait for each other.
    assert sorted(event_names[:-2]) == ["estimate", "recording_started", "upload_failed"]
    assert event_names[-2:] == ["upload_unfinished", "recording_ended"]
    assert verify(tmp_path / "recording").complete


def test_without_the_library_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['obstore'] = None; from hpaaudit.cli import main; main()"
    config = kubeconfig(tmp_path, "http://127.0.0.1:1")
    options = ["record", "--into", str(tmp_path / "r"), "--kubeconfig", str(config), "--upload", URL]
    completed = subprocess.run(
        [sys.executable, "-c", code, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert completed.stderr == "Error: --upload needs obstore: pip install '.[cloud]' in a checkout of hpaaudit\n"


def test_a_url_that_names_no_store_begins_nothing(cluster: Cluster, tmp_path: Path) -> None:
    into, config = tmp_path / "recording", str(cluster.dir / "admin.kubeconfig")
    completed = run("record", "--into", str(into), "--kubeconfig", config, "--upload", "bucket/prefix")
    assert completed.returncode == 2
    assert "names no object store: give s3://bucket/prefix" in completed.stderr
    assert not into.exists()
