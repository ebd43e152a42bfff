"""`record --listen`, asked over a socket while a real cluster is recorded."""

import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.recorder import Recorder, run
from tests.cluster.test_telemetry import samples_of

Create = Callable[..., None]
Ask = Callable[[str], tuple[int, str]]


@contextmanager
def listening(into: Path, kubeconfig: Path, namespace: str) -> Iterator[Ask]:
    """A recorder with its HTTP server; a function that requests a path and returns status and text."""
    recorder = Recorder(into, kubeconfig, "-n", namespace, "--interval", "500ms", "--listen", "127.0.0.1:0")
    assert recorder.process.stderr
    line = recorder.process.stderr.readline()
    match = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+)\n", line)
    assert match, line

    def ask(path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(match[1] + path, timeout=10) as answer:  # noqa: S310  # our own address
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()

    yield ask
    code, words = recorder.end()
    assert code == 0, words


def until_ready(ask: Ask) -> str:
    """Wait until the recorder is ready; what it said of it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        status, body = ask("/readyz")
        if status == 200:
            return body
        assert status == 503
        assert "[-]" in body
        time.sleep(0.1)
    raise AssertionError(body)


def test_a_recorder_tells_that_it_lives_that_it_is_ready_and_what_it_counts(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    with listening(tmp_path / "recording", cluster.dir / "admin.kubeconfig", namespace) as ask:
        lines_until_ready = until_ready(ask)
        assert ask("/healthz") == (200, "ok\n")
        assert ask("/")[0] == 404
        status, text = ask("/metrics")
    events = tuple(f"events(involvedObject.kind={kind})" for kind in ("HorizontalPodAutoscaler", "Deployment"))
    followed = ("horizontalpodautoscalers.autoscaling", "deployments.apps", "pods", "watches", "metrics")
    for what in (*followed, *events):
        assert f"[+]{what} " in lines_until_ready
    assert status == 200
    sampled = samples_of(text)
    assert sampled["hpaaudit_cache_objects", "horizontalpodautoscalers.autoscaling"] == 1
    assert sampled["hpaaudit_relists_total", "pods"] == 1
    assert sampled["hpaaudit_api_request_duration_seconds_count", "200", "pods.metrics.k8s.io", "list"] >= 1
    assert abs(sampled["hpaaudit_clock_skew_seconds", "apiserver"]) < 2
    assert abs(sampled["hpaaudit_last_success_timestamp_seconds", "pods.metrics.k8s.io"] - time.time()) < 60
    assert not [key for key in sampled if key[0] == "hpaaudit_degraded" and sampled[key]]


def test_what_is_forbidden_keeps_no_recorder_from_being_ready_and_is_counted(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    rule = {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]}
    cluster.allow("reader", namespace, [rule])
    with listening(tmp_path / "recording", cluster.dir / "reader.kubeconfig", namespace) as ask:
        lines_until_ready = until_ready(ask)
        text = ask("/metrics")[1]
    assert "[+]pods is refused (403), and a gap\n" in lines_until_ready
    assert 'hpaaudit_degraded{reason="forbidden",source="pods"} 1.0\n' in text
    assert re.search(r'hpaaudit_watch_restarts_total\{reason="refused",resource="pods"\} [1-9]', text)


def test_a_right_that_is_withdrawn_or_was_only_half_given_is_named(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    """To list and not to watch: seen once, and blind from then on."""
    create("checkout")
    rules = [
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    ]
    cluster.allow("reader", namespace, rules)
    into, words = tmp_path / "recording", ("-n", namespace, "--for", "3s")
    code, output = Recorder(into, cluster.dir / "reader.kubeconfig", *words).wait()
    assert code == 0
    (line,) = [line for line in output.splitlines() if line.startswith("cannot follow pods")]
    assert "(403)" in line
    assert 'cannot watch resource "pods"' in line


def test_an_address_that_is_taken_is_one_line_and_no_folder(cluster: Cluster, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        into, kubeconfig = str(tmp_path / "recording"), str(cluster.dir / "admin.kubeconfig")
        completed = run("record", "--into", into, "--kubeconfig", kubeconfig, "--listen", address)
    assert completed.returncode == 2
    assert completed.stderr.startswith(f"Error: cannot listen on {address}: ")
    assert completed.stderr.endswith("name another address by --listen\n")
    assert not (tmp_path / "recording").exists()


def test_an_address_without_a_port_is_a_usage_error() -> None:
    for wrong in ("8080", "localhost", ":8080", "localhost:http", "127.0.0.1:70000"):
        completed = run("record", "--into", "x", "--listen", wrong)
        assert completed.returncode == 2
        assert "is not an address: give ADDRESS:PORT" in completed.stderr
