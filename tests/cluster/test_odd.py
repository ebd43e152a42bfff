"""Whatever a server answers, the recorder goes on, reports it, and records everything else."""

import json
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.cluster.watch import backoff
from hpaaudit.model.facts import Fact, Gap, HpaSeen, PodSeen, Refused, TargetSeen
from hpaaudit.recording.inspection.inspect import inspect
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.small import (
    AT,
    CRD,
    CUSTOM,
    EXTERNAL,
    METRICS,
    PATHS,
    SCALE,
    Answered,
    Small,
    object_of,
    record,
    target,
)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's waits, a fraction of them."""
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.05)


def of(body: Any, status: int = 200, **headers: str) -> Answered:
    """An answer of JSON, or of text as it is."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Answered(data, status, headers)


def the_good(facts: list[Fact]) -> bool:
    """Whether all that is sound was seen: the HPAs, what they scale, and a pod."""
    return names(facts) >= {"hpa web", "hpa rocket", "target web", "target rocket", "pod web-1"}


def names(facts: list[Fact]) -> set[str]:
    """Who was seen."""
    recorded_names = {f"hpa {fact.name}" for fact in facts if isinstance(fact, HpaSeen)}
    recorded_names |= {f"pod {fact.pod.name}" for fact in facts if isinstance(fact, PodSeen)}
    kinds = {"deployments": "web", "rockets": "rocket"}
    return recorded_names | {f"target {kinds[fact.target.resource]}" for fact in facts if isinstance(fact, TargetSeen)}


EVERYWHERE = {
    "JSON to everything": of({}),
    "a page to everything": of("<html><body>sign in</body></html>"),
    "an array to everything": of([1, 2]),
    "a number to everything": of("5"),
    "null to everything": of("null"),
    "a Status to everything": of({"kind": "Status", "status": "Failure", "code": 200}),
    "bytes to everything": Answered(bytes(range(256))),
    "nothing to everything": Answered(b""),
    "deep JSON to everything": of("[" * 5000 + "]" * 5000),
    "half a JSON to everything": of('{"kind": "List", "items": ['),
    "a teapot": of("no", 418),
    "429 and ² seconds": Answered(b"{}", 429, {"Retry-After": "²"}),
    "429 and many seconds": Answered(b"{}", 429, {"Retry-After": "9" * 400}),
    "500 with a long message": of({"message": "x\n" * 100_000}, 500),
    "403 with a message that is none": of({"message": {"a": [None]}, "reason": 5}, 403),
    "a date that is none": Answered(b"{}", 200, {"Date": "Mon, 99 Foo 99999999999999999999 99:99:99 +9999"}),
}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_server_that_answers_so_to_everything_ends_no_recorder(name: str, tmp_path: Path) -> None:
    outcome = record(Small(everywhere=EVERYWHERE[name]), tmp_path / "r", seconds=1.4)
    assert outcome.ended is None
    assert outcome.verification.damages == ()
    # A server that asks for patience is waited for, and nothing is said but that nobody looked.
    assert outcome.notes or outcome.of(Gap)
    assert not [note for note in outcome.notes if len(note) > 5000 or "\n" in note]


ODD: dict[str, dict[str, Answered]] = {
    "gitVersion is a number": {"/version": of({"gitVersion": 1.36})},
    "gitVersion is null": {"/version": of({"gitVersion": None})},
    "gitVersion is an object": {"/version": of({"gitVersion": {}})},
    "the version is an array": {"/version": of([])},
    "groups is null": {"/apis": of({"groups": None})},
    "groups is a map": {"/apis": of({"groups": {"a": 1}})},
    "a group is null": {"/apis": of({"groups": [None]})},
    "a group has no name": {"/apis": of({"groups": [{}]})},
    "a group has null versions": {"/apis": of({"groups": [{"name": "metrics.k8s.io", "versions": None}]})},
    "a preferred version is a text": {"/apis": of({"groups": [{"name": "keda.sh", "preferredVersion": "v1"}]})},
    "a version has no name": {"/apis": of({"groups": [{"name": "metrics.k8s.io", "versions": [{}]}]})},
    "resources is a map": {"/api/v1": of({"resources": {}})},
    "a resource has no kind": {"/api/v1": of({"resources": [{"name": "nodes"}]})},
    "a resource's name is null": {"/apis/admissionregistration.k8s.io/v1": of({"resources": [{"name": None}]})},
    "the controller's pods are null": {"/api/v1/namespaces/kube-system/pods": of({"items": [None]})},
    "the controller's pods are a map": {"/api/v1/namespaces/kube-system/pods": of({"items": {}})},
    "the controller's spec is null": {"/api/v1/namespaces/kube-system/pods": of({"items": [{"spec": None}]})},
    "the controller's flags are no list": {
        "/api/v1/namespaces/kube-system/pods": of({"items": [{"spec": {"containers": [{"command": "--a=b"}]}}]})
    },
    "a flag of the controller is a number": {
        "/api/v1/namespaces/kube-system/pods": of({"items": [{"spec": {"containers": [{"args": [5]}]}}]})
    },
    "items of Leases is a map": {PATHS["lease"]: of({"metadata": {"resourceVersion": "1"}, "items": {}})},
    "metadata of Leases is null": {PATHS["lease"]: of({"metadata": None, "items": []})},
    "the version of nodes is a number": {PATHS["node"]: of({"metadata": {"resourceVersion": 5}, "items": []})},
    "events are a page": {PATHS["event"]: of("<html>")},
    "API services are null": {PATHS["api_service"]: of("null")},
    "ScaledObjects are an array": {PATHS["scaled_object"]: of([])},
    "usage has a pod without name": {METRICS: of({"items": [{"metadata": {"name": None}, "timestamp": AT}]})},
    "usage has a number as a name": {METRICS: of({"items": [{"metadata": {"name": 5}}]})},
    "usage of the year 0": {METRICS: of({"items": [{"metadata": {"name": "a"}, "timestamp": "0000-01-01T00:00:00Z"}]})},
    "usage beyond all numbers": {METRICS: of({"items": [{"containers": [{"usage": {"cpu": "1" + "0" * 30}}]}]})},
    "usage is not a number": {METRICS: of('{"items": [{"containers": [{"usage": {"cpu": NaN}}]}]}')},
    "usage is null": {METRICS: of({"items": [None]})},
    "usage has a window of years": {METRICS: of({"items": [{"window": "9999999999h"}]})},
    "a value is a text": {CUSTOM: of({"items": [{"describedObject": {"name": "web-1"}, "value": "many"}]})},
    "a value's window is null": {CUSTOM: of({"items": [{"value": "1", "windowSeconds": None}]})},
    "a value's window is huge": {CUSTOM: of({"items": [{"value": "1", "windowSeconds": 2**70}]})},
    "a value's object is a text": {CUSTOM: of({"items": [{"describedObject": "web-1", "value": "1"}]})},
    "a value's name is a number": {CUSTOM: of({"items": [{"describedObject": {"name": 7}, "value": "1"}]})},
    "values are a map": {EXTERNAL: of({"items": {"a": 1}})},
    "labels of a series are numbers": {EXTERNAL: of({"items": [{"metricLabels": {"a": 1}, "value": "1"}]})},
    "a series is of half characters": {EXTERNAL: of('{"items": [{"metricLabels": {"a": "\\ud800"}, "value": "1"}]}')},
    "an HTML page for a metric": {EXTERNAL: of("<html>")},
    "a definition is null": {CRD: of("null")},
    "a definition has null versions": {CRD: of({"spec": {"versions": [None]}})},
    "a definition's path is a number": {
        CRD: of({"spec": {"versions": [{"name": "v1", "subresources": {"scale": 5}}]}})
    },
    "a scale is true": {CRD: of("{}", 403), SCALE: of({"spec": {"replicas": True}, "status": {"selector": "app=web"}})},
    "a scale is beyond 32 bits": {CRD: of("{}", 403), SCALE: of({"spec": {"replicas": 2**63 - 1}})},
    "a scale's selector is a number": {CRD: of("{}", 403), SCALE: of({"spec": {}, "status": {"selector": 5}})},
    "a scale is an array": {CRD: of("{}", 403), SCALE: of([])},
    "reviews of another shape": {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": of({"status": []})},
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_costs_nothing_but_itself(name: str, tmp_path: Path) -> None:
    cluster = Small(odd=ODD[name])
    wanted = {"hpa web", "hpa rocket", "target web", "pod web-1"}
    polled = {METRICS, CUSTOM, EXTERNAL, SCALE} & ODD[name].keys()

    def enough(facts: list[Fact]) -> bool:
        return names(facts) >= wanted and all(cluster.asked.count(path) > 1 for path in polled)

    outcome = record(cluster, tmp_path / "r", enough, 10)
    assert outcome.ended is None
    assert outcome.verification.damages == ()
    assert names(outcome.facts) >= wanted
    assert all(cluster.asked.count(path) > 1 for path in polled)


def changed(kind: str, way: str, to: Any) -> bytes:
    """A sound object in which the value at the end of a way, `spec.metrics.0`, is another."""
    raw: Any = object_of(kind, "bad")
    inner = raw
    *steps, last = [int(step) if step.isdigit() else step for step in way.split(".")]
    for step in steps:
        inner = inner[step]
    inner[last] = to
    return json.dumps(raw).encode()


DEEP: list[Any] = []
for _ in range(300):
    DEEP = [DEEP]
CPU = "spec.containers.0.resources.requests.cpu"
BAD: dict[str, tuple[str, str, Any]] = {
    "apiVersion of an HPA is a number": ("hpa", "apiVersion", 5),
    "maxReplicas is true": ("hpa", "spec.maxReplicas", True),
    "maxReplicas is beyond 32 bits": ("hpa", "spec.maxReplicas", 2**63 - 1),
    "maxReplicas has fifty digits": ("hpa", "spec.maxReplicas", 10**50),
    "the generation is a text": ("hpa", "metadata.generation", "2"),
    "the version is a number": ("hpa", "metadata.resourceVersion", 5),
    "metrics are a map": ("hpa", "spec.metrics", {}),
    "a metric is a number": ("hpa", "spec.metrics.0", 5),
    "a metric's name is a number": ("hpa", "spec.metrics.1.pods.metric.name", 5),
    "a target is no quantity": ("hpa", "spec.metrics.2.external.target", {"value": "x"}),
    "the target has no text as name": ("hpa", "spec.scaleTargetRef.name", [1]),
    "the last scale was at no time": ("hpa", "status.lastScaleTime", "yesterday"),
    "a spec is deep": ("hpa", "spec.metrics.0.deep", DEEP),
    "a spec is an array": ("hpa", "spec", []),
    "conditions are a text": ("hpa", "status.conditions", "Ready"),
    "a phase is a number": ("pod", "status.phase", 1),
    "a request is a list": ("pod", CPU, [1]),
    "a request is no quantity": ("pod", CPU, "x"),
    "containers are a map": ("pod", "spec.containers", {"a": {"env": "hunter2"}}),
    "a pod's spec is a text": ("pod", "spec", "hunter2"),
    "a pod started in the year 99999": ("pod", "status.startTime", "99999-01-01T00:00:00Z"),
    "labels are numbers": ("pod", "metadata.labels", {"app": 5}),
    "replicas of a Deployment are a text": ("deployment", "spec.replicas", "3"),
    "replicas of a Deployment are true": ("deployment", "spec.replicas", True),
    "a selector is a text": ("deployment", "spec.selector", "app=web"),
    "a revision is a number": ("deployment", "metadata.annotations", {"deployment.kubernetes.io/revision": 5}),
    "replicas of a custom resource are true": ("custom", "status.replicas", True),
    "replicas of a custom resource are huge": ("custom", "spec.replicas", 2**63 - 1),
    "an Event's count is a text": ("event", "count", "3"),
    "an Event's message is a map": ("event", "message", {"a": "hunter2"}),
    "an Event's count is huge": ("event", "count", 2**40),
    "a Lease's holder is a number": ("lease", "spec.holderIdentity", 5),
    "a Lease's time is none": ("lease", "spec.renewTime", "0000-00-00"),
    "a condition of an API service is null": ("api_service", "status.conditions", [None]),
    "a ScaledObject's maximum is true": ("scaled_object", "spec.maxReplicaCount", True),
    "a trigger is a text": ("scaled_object", "spec.triggers", ["hunter2"]),
    "a quota is a text": ("quota", "spec", "hunter2"),
    "taints are a number": ("node", "spec.taints", 5),
    "rules of a webhook are numbers": ("webhook", "webhooks.0.rules", [5]),
}


@pytest.mark.parametrize("way", ["streamed", "listed", "watched"])
@pytest.mark.parametrize("name", BAD)
def test_an_object_that_cannot_be_read_is_a_row_and_a_gap_and_all_else_is_recorded(
    name: str, way: str, tmp_path: Path
) -> None:
    kind, path, value = BAD[name]
    data = changed(kind, path, value)
    cluster = Small(streamed=way != "listed")
    if kind in ("deployment", "custom"):
        # Only what some HPA scales is recorded.
        resource = "deployments" if kind == "deployment" else "rockets"
        scaling = object_of("hpa", "third") | {"spec": {"scaleTargetRef": target(resource, "bad"), "maxReplicas": 3}}
        cluster.more["hpa"] = [json.dumps(scaling).encode()]
    if way == "watched":
        cluster.events[kind] = [b'{"type":"MODIFIED","object":' + data + b"}"]
    else:
        cluster.more[kind] = [data]

    def enough(facts: list[Fact]) -> bool:
        return the_good(facts) and any(isinstance(fact, Refused) for fact in facts)

    outcome = record(cluster, tmp_path / "r", enough, 10)
    assert outcome.ended is None
    assert outcome.verification.damages == ()
    assert the_good(outcome.facts)
    [row] = outcome.of(Refused)
    assert (row.path, row.name, row.count) == (PATHS[kind], "bad", 1)
    assert row.bytes in (0, len(data))
    assert row.reason
    assert "hunter2" not in repr(outcome.facts)
    [line] = [note for note in outcome.notes if "cannot be read" in note]
    assert "bad" in line
    assert [one.what for one in inspect(open_recording(tmp_path / "r")).refused] == [whose(row)]


def whose(row: Refused) -> str:
    """How inspect names it."""
    return "/".join(word for word in (row.path, row.namespace, row.name) if word)
