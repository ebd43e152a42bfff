"""`hpaaudit record` as a user runs it: options, errors, signals, and the files that it leaves."""

import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import Ended, Fact, HpaSeen, PodSeen, ResourceMetricsRead, ScaleRead
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import Cluster
from tests.cluster.manifests import cpu, hpa
from tests.cluster.recorder import ROOT, Recorder, run

Create = Callable[..., None]


def facts_in(folder: Path) -> list[Fact]:
    """All facts of a recording."""
    return list(open_recording(folder).facts())


def reason(output: str) -> str:
    """What an error says after its name."""
    return output.partition(": ")[2]


def begun(recorder: Recorder) -> None:
    """Waits until the recorder has its folder, and looked around for a while."""
    end = time.monotonic() + 30
    while not recorder.into.exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1.5)


@pytest.mark.parametrize("login", ["token", "token file", "certificate files", "certificate data"])
def test_every_login_of_a_kubeconfig_records(
    login: str, cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    import base64

    create("checkout")
    pki = cluster.dir / "pki"
    token_file = tmp_path / "token"
    token_file.write_text(cluster.tokens["admin"])
    user: dict[str, Any] = {
        "token": {"token": cluster.tokens["admin"]},
        "token file": {"tokenFile": str(token_file)},
        "certificate files": {"client-certificate": f"{pki}/admin.crt", "client-key": f"{pki}/admin.key"},
        "certificate data": {
            f"client-{part}-data": base64.b64encode((pki / f"admin.{suffix}").read_bytes()).decode()
            for part, suffix in (("certificate", "crt"), ("key", "key"))
        },
    }[login]
    config = json.loads((cluster.dir / "admin.kubeconfig").read_text())
    config["users"][0]["user"] = user
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    into = tmp_path / "recording"
    completed = run(
        *("record", "--into", str(into), "--kubeconfig", str(kubeconfig)),
        *("-n", namespace, "--interval", "500ms", "--for", "2s"),
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout == ""
    facts = facts_in(into)
    assert any(isinstance(fact, HpaSeen) and fact.name == "checkout" for fact in facts)
    assert any(isinstance(fact, ResourceMetricsRead) and fact.status == 200 for fact in facts)
    assert isinstance(facts[-1], Ended)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_recording_cleanly(
    number: int, cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    recorder = Recorder(tmp_path / "recording", cluster.dir / "admin.kubeconfig", "-n", namespace)
    begun(recorder)
    code, output = recorder.end(number)
    assert code == 0, output
    assert output.endswith(f"recorded {tmp_path / 'recording'}\n")
    facts = facts_in(tmp_path / "recording")
    assert any(isinstance(fact, PodSeen) for fact in facts)
    assert isinstance(facts[-1], Ended)


def test_a_recording_goes_on_when_nobody_reads_its_progress(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "recording", cluster.dir / "admin.kubeconfig", "-n", namespace)
    begun(recorder)
    assert recorder.process.stderr
    recorder.process.stderr.close()
    recorder.process.send_signal(signal.SIGINT)
    assert recorder.process.wait(30) == 0
    assert isinstance(facts_in(tmp_path / "recording")[-1], Ended)


def test_all_namespaces_are_one_recording(cluster: Cluster, namespace: str, create: Create, tmp_path: Path) -> None:
    create("here")
    cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": f"{namespace}-too"}})
    path = f"/apis/autoscaling/v2/namespaces/{namespace}-too/horizontalpodautoscalers"
    cluster.kube.post(path, hpa("there", cpu(50)))
    into, kubeconfig = tmp_path / "recording", str(cluster.dir / "admin.kubeconfig")
    completed = run(
        "record", "--into", str(into), "--kubeconfig", kubeconfig, "-A", "--interval", "500ms", "--for", "2s"
    )
    cluster.kube.delete(f"/api/v1/namespaces/{namespace}-too")
    assert completed.returncode == 0, completed.stderr
    recorded_names = {(fact.namespace, fact.name) for fact in facts_in(into) if isinstance(fact, HpaSeen)}
    assert {(namespace, "here"), (f"{namespace}-too", "there")} <= recorded_names


def test_nobody_may_record_and_is_told_why(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    into = tmp_path / "recording"
    completed = run(
        "record", "--into", str(into), "--kubeconfig", str(cluster.dir / "nobody.kubeconfig"), "-n", namespace
    )
    assert completed.returncode == 2
    assert f"refused to list horizontalpodautoscalers.autoscaling in namespace {namespace} (403)" in completed.stderr
    assert 'User "nobody" cannot list resource' in completed.stderr
    assert len(completed.stderr.splitlines()) == 1
    assert not into.exists()


def test_a_token_that_nobody_has_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    config = json.loads((cluster.dir / "nobody.kubeconfig").read_text())
    config["users"][0]["user"] = {"token": "expired"}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    completed = run("record", "--into", str(tmp_path / "recording"), "--kubeconfig", str(kubeconfig))
    assert completed.returncode == 2
    assert "does not know you (401)" in completed.stderr


def test_a_context_that_does_not_exist_names_those_that_do(cluster: Cluster, tmp_path: Path) -> None:
    kubeconfig = str(cluster.dir / "admin.kubeconfig")
    completed = run(
        "record", "--into", str(tmp_path / "recording"), "--kubeconfig", kubeconfig, "--context", "production"
    )
    assert completed.returncode == 2
    assert reason(completed.stderr) == f"{kubeconfig} has no context production; it has here\n"


def test_a_server_that_is_not_there_is_one_line(cluster: Cluster, tmp_path: Path) -> None:
    config = json.loads((cluster.dir / "admin.kubeconfig").read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    completed = run("record", "--into", str(tmp_path / "recording"), "--kubeconfig", str(kubeconfig))
    assert completed.returncode == 2
    assert reason(completed.stderr) == "context here (https://127.0.0.1:1) cannot be reached: Connection refused\n"


def test_a_server_with_a_strange_certificate_is_not_trusted(cluster: Cluster, tmp_path: Path) -> None:
    config = json.loads((cluster.dir / "admin.kubeconfig").read_text())
    config["clusters"][0]["cluster"]["certificate-authority"] = str(cluster.dir / "pki/front-proxy-ca.crt")
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    completed = run("record", "--into", str(tmp_path / "recording"), "--kubeconfig", str(kubeconfig))
    assert completed.returncode == 2
    assert "its certificate is not valid" in completed.stderr
    assert len(completed.stderr.splitlines()) == 1


def test_a_folder_that_holds_something_is_not_touched(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    completed = run("record", "--into", str(tmp_path), "--kubeconfig", str(cluster.dir / "admin.kubeconfig"))
    assert completed.returncode == 2
    assert "already holds something" in completed.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_with_fewer_rights_the_scale_is_read_and_the_rest_is_named(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    rules = [
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]},
        {"apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["get"]},
        {"apiGroups": ["metrics.k8s.io"], "resources": ["pods"], "verbs": ["list"]},
    ]
    cluster.allow("reader", namespace, rules)
    into = tmp_path / "recording"
    completed = run(
        *("record", "--into", str(into), "--kubeconfig", str(cluster.dir / "reader.kubeconfig")),
        *("-n", namespace, "--interval", "500ms", "--for", "3s"),
    )
    assert completed.returncode == 0, completed.stderr
    for missing in ("deployments, so their scales are read", "Events of a HorizontalPodAutoscaler", "the Lease"):
        assert f"cannot follow {missing}" in completed.stderr
    facts = facts_in(into)
    reads = [fact for fact in facts if isinstance(fact, ScaleRead)]
    assert reads
    assert {fact.path for fact in reads} == {f"/apis/apps/v1/namespaces/{namespace}/deployments/checkout/scale"}
    assert any(isinstance(fact, PodSeen) for fact in facts)


def test_recording_needs_neither_duckdb_nor_polars_nor_numba(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from hpaaudit.flows.record import record; from pathlib import Path;"
        f"record({str(tmp_path / 'r')!r}, namespace={namespace!r}, for_seconds=1,"
        f" kubeconfig=Path({str(cluster.dir / 'admin.kubeconfig')!r}));"
        "print(sorted({'duckdb', 'polars', 'numba'} & set(sys.modules)))"
    )
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert completed.stdout == "[]\n"


def test_the_help_ends_with_an_example() -> None:
    completed = run("record", "--help")
    assert completed.returncode == 0
    assert "hpaaudit record --into friday -n shop --for 2h" in completed.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--into", "x", "-n", "a", "-A"], "-n and -A exclude each other"),
        ([], "missing option --into"),
        (["--into", "x", "--interval", "soon"], "'soon' is not a duration"),
        (["--into", "x", "--for", "0s"], "'0s' is not a duration of more than 0 s"),
        (["--into", "x", "--keep-label", "team=shop"], "'team=shop' is not a label key"),
        (["--into", "x", "--keep-bytes", "much"], "'much' is not a quantity"),
        (["--into", "x", "--keep-bytes", "-1"], "'-1' is not a number of bytes"),
        (["--into", "x", "--keep-days", "0"], "0.0 is not in the range x>0"),
    ],
)
def test_a_wrong_option_is_a_usage_error(options: list[str], message: str) -> None:
    completed = run("record", *options)
    assert completed.returncode == 2
    assert message in completed.stderr
