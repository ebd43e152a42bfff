"""What a recorder keeps to itself: its files are private, secrets are never stored, hostile texts are escaped."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.errors import AuditError
from hpaaudit.model.facts import EventSeen, HpaSeen, PodSeen, ValuesRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.files.durable import write_synced
from hpaaudit.recording.writing.recording_folder import RecordingFolder
from tests.cluster.cluster import Cluster
from tests.cluster.manifests import cpu, deployment, external
from tests.cluster.recorder import recorded, run

Create = Callable[..., None]
EVIL = 'x\x1b[2J\x1b]0;owned\x07<script>alert(1)<b>"\u202eevil'


def secretive(name: str) -> dict[str, Any]:
    """A Deployment with things in it that are nobody's business."""
    workload = deployment(name)
    template = workload["spec"]["template"]
    template["metadata"] |= {"annotations": {"vault": "hunter2-annotation"}}
    template["metadata"]["labels"] = {**template["metadata"]["labels"], "owner": "hunter2-label", "tier": "front"}
    container = template["spec"]["containers"][0]
    container |= {"env": [{"name": "PASSWORD", "value": "hunter2-env"}], "args": ["--password=hunter2-argument"]}
    workload["metadata"]["annotations"] = {"note": "hunter2-note"}
    return workload


def test_nothing_is_kept_that_no_decision_needs(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    cluster.kube.put(f"/apis/apps/v1/namespaces/{namespace}/deployments/checkout", secretive("checkout"))
    facts, output = recorded(cluster, namespace, tmp_path / "recording", "--keep-label", "tier")
    assert "hunter2" not in repr(facts)
    labels = [dict(fact.pod.labels) for fact in facts if isinstance(fact, PodSeen)]
    assert {"app": "checkout", "tier": "front"} in labels
    assert {key for labels_of_pod in labels for key in labels_of_pod} == {"app", "tier"}
    for secret in (cluster.tokens["admin"], (cluster.dir / "pki/admin.key").read_text().splitlines()[1]):
        assert secret not in repr(facts) + output
        assert not any(
            secret.encode() in path.read_bytes() for path in (tmp_path / "recording").rglob("*") if path.is_file()
        )


def test_a_recording_is_for_the_eyes_of_its_owner(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    into = tmp_path / "recording"
    recorded(cluster, namespace, into)
    modes = {
        path.name: path.stat().st_mode & 0o777 for path in (into, *into.rglob("*")) if path.is_file() or path == into
    }
    assert modes["recording"] == 0o700
    assert {
        name: oct(mode) for name, mode in modes.items() if name.endswith((".json", ".parquet")) and mode != 0o600
    } == {}


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("mine")
    (tmp_path / "recording.json").symlink_to(theirs)
    write_synced(tmp_path / "recording.json", b"{}")
    assert theirs.read_text() == "mine"
    assert not (tmp_path / "recording.json").is_symlink()


def test_a_link_in_the_place_of_the_segments_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    into = tmp_path / "recording"
    into.mkdir()
    (into / "segments").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AuditError, match="already holds something"):
        RecordingFolder(into, source="test", started_us=Micros(0))
    assert not any((tmp_path / "elsewhere").iterdir())


def test_texts_that_would_steer_a_terminal_are_kept_as_they_are_and_shown_written_out(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout", cpu(50), external(EVIL, {"queue": "orders"}, "10"))
    about = {"kind": "HorizontalPodAutoscaler", "namespace": namespace, "name": "checkout"}
    event = {"metadata": {"name": "evil"}, "involvedObject": about, "reason": EVIL, "message": EVIL, "type": "Normal"}
    cluster.kube.post(f"/api/v1/namespaces/{namespace}/events", event)
    into, kubeconfig = tmp_path / "recording", str(cluster.dir / "admin.kubeconfig")
    facts, output = recorded(cluster, namespace, into)
    assert EVIL in {fact.message for fact in facts if isinstance(fact, EventSeen)}
    assert EVIL in {fact.request.metric for fact in facts if isinstance(fact, ValuesRead)}
    assert any(json.loads(fact.spec_json)["metrics"][1]["external"]["metric"]["name"] == EVIL
               for fact in facts if isinstance(fact, HpaSeen))  # fmt: skip
    plan = run("record", "--plan", "--kubeconfig", kubeconfig, "-n", namespace)
    shown = [output, plan.stdout, plan.stderr]
    for command in (
        ("inspect", str(into)),
        ("replay", str(into)),
        ("explain", str(into), f"{namespace}/checkout"),
        ("query", str(into), "select reason, message from k8s_events where name = 'evil' or message like 'x%'"),
        ("query", str(into), "select metric_name, invalid_code from metric_proposals"),
    ):
        completed = run(*command)
        assert completed.returncode == 0, (command, completed.stderr)
        shown += [completed.stdout, completed.stderr]
    assert not {character for text in shown for character in text if character in "\x1b\x07\u202e"}
    assert any(r"x\x1b[2J" in text for text in shown)
