"""The labels of HPAs: what is recorded of them, and that `-l` chooses what a real API server lists."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hpaaudit.cluster.decoding import decoders
from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.leases import LeaseStore
from hpaaudit.errors import BadOption, UnknownHpa
from hpaaudit.flows.chosen_hpas import chosen_by_labels
from hpaaudit.model.facts import Fact, HpaSeen, LeaseSeen
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import FAST, Cluster
from tests.cluster.kube import ApiError
from tests.cluster.recorder import Recorder
from tests.cluster.test_resume import until

NOW = Micros(1_772_452_800_000_000)
LABELS = {
    "bare": {},
    "cart": {"team": "shop", "n": "4"},
    "checkout": {"team": "shop", "tier": "web", "n": "12", "big": "9223372036854775808"},
    "pay": {"team": "bank", "example.com/tier": "web", "n": "seven"},
    "empty": {"team": "", "tier": "db"},
}
SELECTORS = [
    *("team=shop", "team==shop", "team!=shop", "team", "!team", " team = shop , tier = web ", "team=", "team!="),
    *("team in (shop, bank)", "team in ()", "team notin (shop)", "tier notin (web,db)", "example.com/tier=web"),
    *(
        "n>4",
        "big>3",
        "big>003",
        "n<9223372036854775807",
        "n<0000000000000000000000000005",
        "n<5",
        "n>3,n<5",
        "team=shop,team!=shop",
        "team,!tier",
        "tier in (web,)",
        "color",
        "!color",
    ),
]
REFUSED = [
    *("team=shop=x", "team in shop", "team in (shop", "team=shop,", ",team", "team shop", "=shop", "te am"),
    *(
        "team=-shop",
        "n>seven",
        "n>9223372036854775808",
        "n>-1",
        "UP/x=y",
        "/x",
        "team=" + "a" * 64,
        "team~shop",
        "(team)",
        "team>=3",
    ),
]


def test_the_api_server_lists_what_a_selector_chooses_in_a_recording(
    cluster: Cluster, namespace: str, create: Callable[..., None], tmp_path: Path
) -> None:
    hpas = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
    for name in LABELS:
        create(name)
    for name, labels in LABELS.items():
        meta = {
            "labels": {**labels, **({"team": "old"} if name == "cart" else {})},
            "annotations": {"secret": "hunter2"},
        }
        cluster.kube.patch(f"{hpas}/{name}", {"metadata": meta})
    into = tmp_path / "recording"
    recorder = Recorder(into, cluster.dir / "admin.kubeconfig", "-n", namespace, "--interval", "500ms")
    until(into, lambda facts: {fact.name for fact in facts if isinstance(fact, HpaSeen)} == {*LABELS})
    cluster.kube.patch(f"{hpas}/cart", {"metadata": {"labels": LABELS["cart"]}})
    until(
        into,
        lambda facts: '{"n":"4","team":"shop"}' in {fact.labels_json for fact in facts if isinstance(fact, HpaSeen)},
    )
    code, output = recorder.end()
    assert code == 0, output
    recording = open_recording(into)
    labels = recording.labels()
    assert all("hunter2" not in repr(fact) for fact in recording.facts())

    for selector in SELECTORS:
        listed = cluster.kube.get(f"{hpas}?labelSelector={quote(selector)}")["items"]
        expected = {f"{namespace}/{one['metadata']['name']}" for one in listed}
        if expected:
            assert chosen_by_labels(selector, labels, "it").names == expected, selector
        else:
            with pytest.raises(UnknownHpa):
                chosen_by_labels(selector, labels, "it")
    for selector in REFUSED:
        with pytest.raises(ApiError) as server:
            cluster.kube.get(f"{hpas}?labelSelector={quote(selector)}")
        with pytest.raises(BadOption) as ours:
            chosen_by_labels(selector, labels, "it")
        assert str(ours.value).startswith(f"--selector {selector!r} is no label selector: ")
        assert str(server.value.body["message"]).endswith(str(ours.value).partition(" is no label selector: ")[2]), (
            selector
        )

    lasting = {fact.duration_seconds for fact in recording.facts() if isinstance(fact, LeaseSeen) and fact.holder}
    assert {f"{seconds}s" for seconds in lasting} == {FAST["leader-elect-lease-duration"]}


def hpa(version: int = 7, **labels: str) -> dict[str, Any]:
    """An HPA as the API server shows it."""
    meta = {"namespace": "shop", "name": "web", "uid": "u", "resourceVersion": str(version), "labels": labels}
    target = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
    return {"apiVersion": "autoscaling/v2", "metadata": meta, "spec": {"maxReplicas": 3, "scaleTargetRef": target}}


def test_the_labels_of_an_hpa_that_an_older_version_recorded_are_recorded_when_it_is_listed_again() -> None:
    facts: list[Fact] = []
    HpaStore(facts.append, lambda: None).update(hpa(team="shop"), NOW)
    (seen,) = facts
    assert isinstance(seen, HpaSeen)
    assert seen.labels_json == '{"team":"shop"}'
    for before, count in ((seen, 0), (replace(seen, labels_json=None), 1)):
        facts.clear()
        store = HpaStore(facts.append, lambda: None)
        store.restore(before)
        for _ in range(2):
            store.update(hpa(team="shop"), NOW)
        assert facts == [seen] * count


def test_an_hpa_is_read_with_its_labels_and_one_that_cannot_be_read_is_kept_without() -> None:
    body = b'{"metadata":{"name":"web","labels":{"team":"shop"},"annotations":{"a":"b"}},"spec":%s}'
    assert decoders.item_of(decoders.HPAS, body % b"{}")["metadata"]["labels"] == {"team": "shop"}
    unreadable = decoders.item_of(decoders.HPAS, body % b"[]")
    assert "shop" not in unreadable.object_json
    wrong = decoders.item_of(decoders.HPAS, b'{"metadata":{"name":"web","labels":{"team":3}}}')
    assert "labels" in wrong.reason


def test_another_duration_of_the_lease_is_recorded_at_once() -> None:
    facts: list[Fact] = []
    store = LeaseStore(facts.append, lambda _: None)
    for number, seconds in enumerate((15, 15, 60, 60, None)):
        spec = {"holderIdentity": "a", "renewTime": "2026-03-02T12:00:00Z", "leaseDurationSeconds": seconds}
        store.update({"metadata": {"name": "kube-controller-manager"}, "spec": spec}, Micros(NOW + number))
    assert [fact.duration_seconds for fact in facts if isinstance(fact, LeaseSeen)] == [15, 60, None]
