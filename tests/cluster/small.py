"""A small API server in this process, odd where a test says so, and a recorder of it."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.observe.planner import make_plan
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.watch.watch_list import END
from hpaaudit.model.facts import Fact
from hpaaudit.model.inspection import Verification
from hpaaudit.model.recorder_plan import Plan
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits

Raw = dict[str, Any]
Seen = TypeVar("Seen")
AT = "2026-03-02T12:00:00Z"
PATHS = {
    "hpa": "/apis/autoscaling/v2/horizontalpodautoscalers",
    "pod": "/api/v1/pods",
    "event": "/api/v1/events",
    "deployment": "/apis/apps/v1/deployments",
    "custom": "/apis/example.com/v1/rockets",
    "lease": "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
    "api_service": "/apis/apiregistration.k8s.io/v1/apiservices",
    "scaled_object": "/apis/keda.sh/v1alpha1/scaledobjects",
    "quota": "/api/v1/resourcequotas",
    "node": "/api/v1/nodes",
    "webhook": "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
}
"""The collections, by the word for one of their objects."""
METRICS = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"
CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/rate"
EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rockets.example.com"
SCALE = "/apis/example.com/v1/namespaces/shop/rockets/web/scale"


def meta(name: str, **more: Any) -> Raw:
    """The metadata of an object."""
    own = {"namespace": "shop", "name": name, "uid": f"uid-{name}", "resourceVersion": "5", "generation": 2}
    return {**own, "creationTimestamp": AT, **more}


def object_of(kind: str, name: str) -> Raw:
    """A sound object of a kind."""
    return {**_BODIES[kind](name), "metadata": {**meta(name), **_METAS.get(kind, {})}}


def target(resource: str, name: str) -> Raw:
    """What an HPA scales."""
    version, kind = ("apps/v1", "Deployment") if resource == "deployments" else ("example.com/v1", "Rocket")
    return {"apiVersion": version, "kind": kind, "name": name}


def _hpa(name: str) -> Raw:
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}
    rate = {"metric": {"name": "rate"}, "target": {"type": "AverageValue", "averageValue": "10"}}
    queue = {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "100"}}
    metrics = [
        {"type": "Resource", "resource": cpu},
        {"type": "Pods", "pods": rate},
        {"type": "External", "external": queue},
    ]
    resource = "rockets" if name == "rocket" else "deployments"
    ready = {"type": "AbleToScale", "status": "True", "lastTransitionTime": AT, "reason": "R", "message": "m"}
    current = {"name": "cpu", "current": {"averageUtilization": 50, "averageValue": "100m"}}
    policy = {"type": "Pods", "value": 4, "periodSeconds": 60}
    return {
        "spec": {
            "scaleTargetRef": target(resource, "web"),
            "minReplicas": 1,
            "maxReplicas": 9,
            "metrics": metrics,
            "behavior": {"scaleUp": {"stabilizationWindowSeconds": 0, "policies": [policy]}},
        },
        "status": {
            "currentReplicas": 2,
            "desiredReplicas": 2,
            "lastScaleTime": AT,
            "observedGeneration": 2,
            "conditions": [ready],
            "currentMetrics": [{"type": "Resource", "resource": current}],
        },
    }


def _pod(_: str) -> Raw:
    container = {
        "name": "app",
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "env": [{"name": "PASSWORD", "value": "hunter2"}],
    }
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": AT}
    return {
        "spec": {"containers": [container], "initContainers": [{"name": "init", "restartPolicy": "Always"}]},
        "status": {"phase": "Running", "startTime": AT, "conditions": [ready]},
    }


def _deployment(_: str) -> Raw:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"env": [{"value": "hunter2"}]}]}}
    return {
        "kind": "Deployment",
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template,
            "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
        },
        "status": {
            "replicas": 2,
            "updatedReplicas": 2,
            "conditions": [{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}],
        },
    }


def _custom(_: str) -> Raw:
    return {"kind": "Rocket", "spec": {"replicas": 3}, "status": {"replicas": 3, "selector": "app=web"}}


def _event(name: str) -> Raw:
    about = {"kind": "HorizontalPodAutoscaler", "namespace": "shop", "name": "web", "uid": "uid-web"}
    return {
        "involvedObject": about,
        "type": "Normal",
        "reason": f"Because{name}",
        "message": "as said",
        "source": {"component": "horizontal-pod-autoscaler"},
        "firstTimestamp": AT,
        "lastTimestamp": AT,
        "count": 3,
    }


def _lease(_: str) -> Raw:
    return {"spec": {"holderIdentity": "one_1", "acquireTime": AT, "renewTime": AT, "leaseTransitions": 1}}


def _api_service(_: str) -> Raw:
    available = {"type": "Available", "status": "True", "reason": "Passed", "message": "all checks passed"}
    return {
        "spec": {"group": "metrics.k8s.io", "service": {"namespace": "kube-system", "name": "metrics-server"}},
        "status": {"conditions": [available]},
    }


def _scaled_object(_: str) -> Raw:
    return {
        "spec": {
            "scaleTargetRef": {"name": "web"},
            "minReplicaCount": 0,
            "maxReplicaCount": 9,
            "fallback": {"replicas": 3},
            "triggers": [{"type": "kafka", "metadata": {"password": "hunter2"}}],
        },
        "status": {"hpaName": "web", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def _quota(_: str) -> Raw:
    return {"spec": {"hard": {"pods": "10"}}, "status": {"hard": {"pods": "10"}, "used": {"pods": "2"}}}


def _node(_: str) -> Raw:
    ready = {"type": "Ready", "status": "True"}
    return {
        "spec": {"taints": [{"key": "k", "effect": "e"}]},
        "status": {"conditions": [ready], "allocatable": {"cpu": "4"}},
    }


def _webhook(_: str) -> Raw:
    hook = {
        "name": "hook",
        "failurePolicy": "Fail",
        "timeoutSeconds": 10,
        "rules": [{"resources": ["pods"]}],
        "clientConfig": {"service": {"namespace": "kube-system", "name": "hook"}},
    }
    return {"webhooks": [hook]}


_BODIES: dict[str, Callable[[str], Raw]] = {
    "hpa": _hpa,
    "pod": _pod,
    "event": _event,
    "deployment": _deployment,
    "custom": _custom,
    "lease": _lease,
    "api_service": _api_service,
    "scaled_object": _scaled_object,
    "quota": _quota,
    "node": _node,
    "webhook": _webhook,
}
_WRITER = {"manager": "kubectl", "operation": "Update", "time": AT, "fieldsV1": {"f:spec": {"f:replicas": {}}}}
_METAS: dict[str, Raw] = {
    "pod": {
        "labels": {"app": "web", "secret": "hunter2"},
        "annotations": {"vault": "hunter2"},
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "controller": True}],
    },
    "hpa": {"annotations": {"autoscaling.alpha.kubernetes.io/note": "x"}, "managedFields": [_WRITER]},
    "deployment": {"annotations": {"note": "hunter2"}, "managedFields": [_WRITER]},
    "node": {"namespace": ""},
    "webhook": {"namespace": ""},
    "api_service": {"namespace": ""},
    "lease": {"namespace": "kube-system"},
}
GOOD = {
    "hpa": ("web", "rocket"),
    "deployment": ("web",),
    "pod": ("web-1",),
    "event": ("e1",),
    "custom": ("web",),
    "lease": ("kube-controller-manager",),
    "api_service": ("v1beta1.metrics.k8s.io",),
    "scaled_object": ("web",),
    "quota": ("quota",),
    "node": ("one",),
    "webhook": ("hook",),
}
"""The sound objects of the cluster, by kind."""


def _served(*resources: tuple[str, str]) -> Raw:
    return {"kind": "APIResourceList", "resources": [{"name": name, "kind": kind} for name, kind in resources]}


def answers() -> dict[str, Any]:
    """What the cluster answers to a GET, by path; what is not here is an empty list."""
    groups = {
        "autoscaling": "v2",
        "apps": "v1",
        "keda.sh": "v1alpha1",
        "admissionregistration.k8s.io": "v1",
        "metrics.k8s.io": "v1beta1",
        "custom.metrics.k8s.io": "v1beta2",
        "external.metrics.k8s.io": "v1beta1",
    }
    versions = [
        {"name": name, "versions": [{"version": version}], "preferredVersion": {"version": version}}
        for name, version in groups.items()
    ]
    flags = ["kube-controller-manager", "--horizontal-pod-autoscaler-tolerance=0.2"]
    process = {"name": "kube-controller-manager", "image": "k/kube-controller-manager:v1.36.2", "command": flags}
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    used = [{"name": "app", "usage": {"cpu": "90m", "memory": "1Mi"}}]
    usage = {"metadata": {"name": "web-1"}, "timestamp": AT, "window": "15s", "containers": used}
    value = {"describedObject": {"name": "web-1"}, "timestamp": AT, "windowSeconds": 60, "value": "7"}
    of_rocket = {"replicas": 3, "selector": "app=web"}
    return {
        "/version": {"gitVersion": "v1.36.3"},
        "/apis": {"groups": versions},
        "/apis/autoscaling": {"versions": [{"version": "v2"}, {"version": "v1"}]},
        "/api/v1": _served(("resourcequotas", "ResourceQuota"), ("nodes", "Node")),
        "/apis/example.com/v1": _served(("rockets", "Rocket"), ("rockets/scale", "Scale")),
        "/apis/admissionregistration.k8s.io/v1": _served(("mutatingwebhookconfigurations", "M")),
        CRD: {"spec": {"versions": [{"name": "v1", "subresources": {"scale": scale}}]}},
        "/api/v1/namespaces/kube-system/pods": {"items": [{"spec": {"nodeName": "one", "containers": [process]}}]},
        METRICS: {"kind": "PodMetricsList", "items": [usage]},
        CUSTOM: {"kind": "MetricValueList", "items": [value]},
        EXTERNAL: {"items": [{"metricName": "queue", "metricLabels": {"a": "b"}, "timestamp": AT, "value": "70"}]},
        SCALE: {"metadata": {"resourceVersion": "5"}, "spec": {"replicas": 3}, "status": of_rocket},
    }


@dataclass
class Answered:
    """An answer of the server's: bytes, status and headers."""

    data: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Small:
    """The cluster. What is `odd` is answered by path, whatever is asked for; `more` objects are in their collections.

    events   lines that a watch of a path tells, once, after all that is there;  asked  paths, in order
    """

    odd: dict[str, Answered] = field(default_factory=dict)
    everywhere: Answered | None = None
    more: dict[str, list[bytes]] = field(default_factory=dict)
    events: dict[str, list[bytes]] = field(default_factory=dict)
    streamed: bool = True
    asked: list[str] = field(default_factory=list)

    async def reply(self, request: web.Request) -> web.StreamResponse:
        """Any answer."""
        path = request.path
        self.asked.append(path)
        odd = self.odd.get(path) or self.everywhere
        if odd:
            return web.Response(body=odd.data, status=odd.status, headers=odd.headers)
        fields = request.query.get("fieldSelector", "")
        kind = next((kind for kind, known_path in PATHS.items() if known_path == path), "")
        if kind == "event" and "HorizontalPodAutoscaler" not in fields:
            kind = ""
        if "watch" in request.query:
            return await self._watch(request, kind)
        answer_by_path = answers()
        if path in answer_by_path:
            return web.json_response(answer_by_path[path])
        items = b",".join(self._items(kind))
        meta = b'"metadata":{"resourceVersion":"9"}'
        return web.Response(
            body=b'{"kind":"List","apiVersion":"autoscaling/v2",' + meta + b',"items":[' + items + b"]}"
        )

    def _items(self, kind: str) -> list[bytes]:
        good = [json.dumps(object_of(kind, name)).encode() for name in GOOD.get(kind, ())]
        return [*good[:1], *self.more.get(kind, ()), *good[1:]]

    async def _watch(self, request: web.Request, kind: str) -> web.StreamResponse:
        if "sendInitialEvents" in request.query and not self.streamed:
            return web.json_response({"kind": "Status", "code": 422}, status=422)
        response = web.StreamResponse()
        await response.prepare(request)
        if "sendInitialEvents" in request.query:
            for item in self._items(kind):
                await response.write(b'{"type":"ADDED","object":' + item + b"}\n")
            mark = {"metadata": {"resourceVersion": "9", "annotations": {END: "true"}}}
            await response.write(json.dumps({"type": "BOOKMARK", "object": mark}).encode() + b"\n")
        for line in self.events.pop(kind, ()):
            await response.write(line + b"\n")
        await asyncio.sleep(60)
        return response


@dataclass
class Recorded:
    """What a recorder made of it; `ended` is what ended it by itself."""

    facts: list[Fact]
    verification: Verification
    notes: list[str]
    ended: BaseException | None

    def of(self, kind: type[Seen]) -> list[Seen]:
        """The facts of one kind."""
        return [fact for fact in self.facts if isinstance(fact, kind)]


async def _serve(cluster: Small) -> tuple[web.AppRunner, str]:
    """A server of the cluster, to be cleaned up, and its URL."""
    application = web.Application(client_max_size=1 << 24)
    application.router.add_route("*", "/{path:.*}", cluster.reply)
    runner = web.AppRunner(application, shutdown_timeout=0.05)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


async def _plan(cluster: Small) -> Plan:
    runner, url = await _serve(cluster)
    async with Client(ClientConfig(source="test", context="test", server=url), Clock(), qps=10_000) as client:
        made_plan = await make_plan(client, Scope(namespace="", interval_us=Micros(SECOND // 5)))
    await runner.cleanup()
    return made_plan


def plan(cluster: Small) -> Plan:
    """What `record --plan` says of a cluster."""
    return asyncio.run(_plan(cluster))


async def _record(cluster: Small, into: Path, enough: Callable[[list[Fact]], bool], seconds: float) -> Recorded:
    runner, url = await _serve(cluster)
    recorded: list[Fact] = []
    notes: list[str] = []
    clock = Clock()
    writer = RecorderWriter(into, cluster=url, now_us=clock.now(), note=notes.append, limits=Limits(ballast_bytes=0))

    def sink(fact: Fact) -> None:
        recorded.append(fact)
        writer.add(fact)

    ended: BaseException | None = None
    async with Client(ClientConfig(source="test", context="test", server=url), clock, qps=10_000) as client:
        observer = Observer(client, Scope(namespace="", interval_us=Micros(SECOND // 5)), sink, notes.append)
        running = asyncio.create_task(observer.run())
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until and not running.done() and not enough(recorded):  # noqa: ASYNC110  # a test's patience
            await asyncio.sleep(0.02)
        if running.done():
            ended = running.exception() or RuntimeError("it ended")
        observer.stop()
        await asyncio.gather(running, return_exceptions=True)
    await runner.cleanup()
    writer.close()
    facts = list(open_recording(into).facts())
    return Recorded(facts, verify(into, reread=True), notes, ended)


def record(
    cluster: Small, into: Path, enough: Callable[[list[Fact]], bool] = lambda _: False, seconds: float = 3
) -> Recorded:
    """Records a cluster until enough was told, or for so long."""
    return asyncio.run(_record(cluster, into, enough, seconds))
