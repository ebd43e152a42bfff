"""What happens in the cluster: HPAs are reconciled, pods come and go, people change things."""

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.simulation.machine import SECOND, Machine
from tests.simulation.server import (
    CRDS,
    DEPLOYMENTS,
    EVENTS,
    HPAS,
    LEASES,
    PODS,
    QUOTAS,
    SERVICES,
    WIDGETS,
    Kind,
    Object,
    Server,
    status_of,
)

PERIOD_SECONDS = 15


def time_text(at_us: int) -> str:
    """As Kubernetes writes a time."""
    return datetime.fromtimestamp(at_us // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


APPS: tuple[tuple[str, str, Kind], ...] = (
    ("shop", "web", DEPLOYMENTS),
    ("shop", "api", DEPLOYMENTS),
    ("bank", "jobs", WIDGETS),
)


class Life:
    """The actors of a small cluster."""

    def __init__(self, machine: Machine, server: Server, chance: random.Random) -> None:
        self.machine, self.server, self.chance = machine, server, chance
        self.number = 0
        server.metric = self.metric

    def begin(self) -> None:
        """Makes what is there at first, and lets it live."""
        paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                 "labelSelectorPath": ".status.selector"}  # fmt: skip
        crd = {"spec": {"versions": [{"name": "v1", "subresources": {"scale": paths}}]}}
        self.server.put(CRDS, {"metadata": {"name": "widgets.example.com"}, **crd})
        for group in ("metrics.k8s.io", "custom.metrics.k8s.io"):
            self.service(group, "True")
        self.lease("node-a_1", 0)
        self.quota()
        for namespace, name, kind in APPS:
            self.workload(namespace, name, kind, 2)
            self.hpa(namespace, name, kind)
        for at, (namespace, name, kind) in enumerate(APPS):
            self.every(
                PERIOD_SECONDS, lambda ns=namespace, app=name, of=kind: self.reconcile(ns, app, of), first=at * 4 + 1
            )
        self.every(10, self.renew)
        self.every(23, self.surprise)

    def every(self, seconds: float, act: Callable[[], None], first: float = 0) -> None:
        """Again and again."""

        def again() -> None:
            act()
            self.machine.after(seconds * (0.98 + 0.04 * self.chance.random()), again)

        self.machine.after(first + seconds * self.chance.random(), again)

    def uid(self) -> str:
        """A new one."""
        self.number += 1
        return f"uid-{self.number}"

    def meta(self, namespace: str, name: str, **more: Any) -> Object:
        """Metadata of something new."""
        return {"namespace": namespace, "name": name, "uid": self.uid(), "generation": 1,
                "creationTimestamp": time_text(self.machine.now_us), **more}  # fmt: skip

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        """An object, to be changed and put back."""
        target = self.server.collections[kind.resource].objects.get((namespace, name))
        return None if target is None else {**target, "metadata": dict(target["metadata"])}

    # Objects

    def workload(self, namespace: str, name: str, kind: Kind, replicas: int) -> None:
        """A Deployment, or a custom resource that scales as one."""
        raw: Object = {"metadata": self.meta(namespace, name, annotations={"deployment.kubernetes.io/revision": "1"})}
        selector = f"app={name}"
        if kind is WIDGETS:
            raw |= {"spec": {"replicas": replicas}, "status": {"replicas": replicas, "selector": selector}}
        else:
            raw |= {"spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}},
                    "status": {"replicas": replicas}}  # fmt: skip
        self.server.put(kind, raw)
        self.scale_pods(namespace, name, replicas)

    def hpa(self, namespace: str, name: str, kind: Kind) -> None:
        """An HPA with metrics of each kind."""
        cpu = {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}},
        }
        pods = {
            "type": "Pods",
            "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "10"}},
        }
        queue = {
            "type": "External",
            "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "30"}},
        }
        metrics = {"web": [cpu], "api": [cpu, pods], "jobs": [queue]}[name]
        spec = {"scaleTargetRef": {"apiVersion": kind.api_version, "kind": kind.kind, "name": name},
                "minReplicas": 1, "maxReplicas": 5 + self.chance.randrange(5), "metrics": metrics}  # fmt: skip
        self.server.put(HPAS, {"metadata": self.meta(namespace, name), "spec": spec})

    def scale_pods(self, namespace: str, name: str, wanted: int) -> None:
        """Creates or deletes pods, up to the wanted number."""
        mine = [key for key, raw in self.server.collections["pods"].objects.items()
                if key[0] == namespace and raw["metadata"]["labels"]["app"] == name]  # fmt: skip
        for key in mine[wanted:]:
            self.server.drop(PODS, key)
        for _ in range(wanted - len(mine)):
            pod = f"{name}-5d4f-{self.chance.getrandbits(24):06x}"
            request = {"name": "app", "resources": {"requests": {"cpu": "100m"}}}
            meta = self.meta(namespace, pod, labels={"app": name, "zone": "a"})
            self.server.put(PODS, {"metadata": meta, "spec": {"containers": [request]}, "status": {"phase": "Pending"}})
            self.machine.after(3 + 10 * self.chance.random(), lambda pod=pod: self.ready(namespace, pod, "True"))

    def ready(self, namespace: str, name: str, status: str) -> None:
        """A pod becomes ready, or does not stay so."""
        if raw := self.get(PODS, namespace, name):
            now = time_text(self.machine.now_us)
            conditions = [{"type": "Ready", "status": status, "lastTransitionTime": now}]
            raw["status"] = {"phase": "Running", "startTime": now, "conditions": conditions}
            self.server.put(PODS, raw)

    def service(self, group: str, available: str) -> None:
        """An aggregated API."""
        self.server.put(SERVICES, {
            "metadata": {"name": f"v1.{group}", "uid": group},
            "spec": {"group": group, "service": {"namespace": "kube-system", "name": group}},
            "status": {"conditions": [{"type": "Available", "status": available, "reason": "Passed"}]},
        })  # fmt: skip

    def lease(self, holder: str, transitions: int) -> None:
        """Who leads."""
        now = time_text(self.machine.now_us)
        spec = {"holderIdentity": holder, "leaseTransitions": transitions, "acquireTime": now, "renewTime": now}
        self.server.put(LEASES, {"metadata": self.meta("kube-system", "kube-controller-manager"), "spec": spec})

    def quota(self) -> None:
        """What a namespace may take."""
        used = {"pods": str(self.chance.randrange(20))}
        raw = {
            "metadata": {"namespace": "shop", "name": "all", "uid": "quota"},
            "status": {"hard": {"pods": "20"}, "used": used},
        }
        self.server.put(QUOTAS, raw)

    # What happens

    def renew(self) -> None:
        """The leader still leads."""
        if raw := self.get(LEASES, "kube-system", "kube-controller-manager"):
            raw["spec"] = {**raw["spec"], "renewTime": time_text(self.machine.now_us)}
            if self.chance.random() < 0.02:
                transitions = raw["spec"]["leaseTransitions"] + 1
                raw["spec"] |= {"leaseTransitions": transitions, "holderIdentity": f"node-b_{transitions}"}
            self.server.put(LEASES, raw)

    def reconcile(self, namespace: str, name: str, kind: Kind) -> None:
        """The controller looks: it writes a status, and may scale."""
        hpa, target = self.get(HPAS, namespace, name), self.get(kind, namespace, name)
        if hpa is None or target is None:
            return
        now = time_text(self.machine.now_us)
        current = target["spec"]["replicas"]
        desired = current
        if self.chance.random() < 0.3:
            desired = max(1, min(hpa["spec"]["maxReplicas"], current + self.chance.choice((-1, 1, 2))))
        conditions = [{"type": "AbleToScale", "status": "True", "reason": "SucceededRescale", "message": "",
                       "lastTransitionTime": now}]  # fmt: skip
        before = hpa.get("status") or {}
        scaled = {"lastScaleTime": now} if desired != current else {}
        kept_fields = {"lastScaleTime": before["lastScaleTime"]} if "lastScaleTime" in before and not scaled else {}
        status = {
            "currentReplicas": current,
            "desiredReplicas": desired,
            "conditions": conditions,
            **kept_fields,
            **scaled,
        }
        if status != before:
            self.server.put(HPAS, {**hpa, "status": status})
        if desired != current:
            self.scale(namespace, name, kind, desired)
            self.event(namespace, name, f"New size: {desired}")

    def scale(self, namespace: str, name: str, kind: Kind, replicas: int) -> None:
        """Somebody sets the replicas."""
        if target := self.get(kind, namespace, name):
            self.server.put(kind, {**target, "spec": {**target["spec"], "replicas": replicas}})
            self.machine.after(2, lambda: self.settle(namespace, name, kind))

    def settle(self, namespace: str, name: str, kind: Kind) -> None:
        """The workload follows."""
        if target := self.get(kind, namespace, name):
            replicas = target["spec"]["replicas"]
            self.server.put(kind, {**target, "status": {**target["status"], "replicas": replicas}})
            self.scale_pods(namespace, name, replicas)

    def event(self, namespace: str, name: str, message: str) -> None:
        """An Event about an HPA."""
        now, uid = time_text(self.machine.now_us), self.uid()
        about = {"kind": "HorizontalPodAutoscaler", "namespace": namespace, "name": name}
        self.server.put(EVENTS, {
            "metadata": {"namespace": namespace, "name": f"{name}.{uid}", "uid": uid}, "type": "Normal",
            "reason": "SuccessfulRescale", "message": message, "involvedObject": about, "count": 1,
            "source": {"component": "horizontal-pod-autoscaler"}, "firstTimestamp": now, "lastTimestamp": now,
        })  # fmt: skip

    def surprise(self) -> None:
        """Something that happens now and then."""
        namespace, name, kind = self.chance.choice(APPS)
        hpa = self.get(HPAS, namespace, name)
        match self.chance.randrange(10):
            case 0 if hpa:
                self.server.put(HPAS, {**hpa, "spec": {**hpa["spec"], "maxReplicas": 5 + self.chance.randrange(5)}})
            case 1:
                self.scale(namespace, name, kind, self.chance.randrange(1, 6))
            case 2 | 3:
                pods = [key for key in self.server.collections["pods"].objects if key[0] == namespace]
                if pods:
                    self.ready(*self.chance.choice(pods), self.chance.choice(("True", "False")))
            case 4:
                self.quota()
            case 5:
                self.service("custom.metrics.k8s.io", self.chance.choice(("True", "False")))
            case 6:
                self.server.drop(HPAS, (namespace, name))
                self.machine.after(self.chance.choice((0.5, 20, 120)), lambda: self.hpa(namespace, name, kind))
            case 7 if kind is DEPLOYMENTS:
                self.server.drop(kind, (namespace, name))
                self.machine.after(self.chance.choice((0.5, 10)), lambda: self.workload(namespace, name, kind, 2))
            case 8:
                pods = [key for key in self.server.collections["pods"].objects if key[0] == namespace]
                if pods:
                    self.server.drop(PODS, self.chance.choice(pods))
            case _:
                self.event(namespace, name, "nothing of importance")

    # Metrics

    def metric(self, words: list[str], query: dict[str, str]) -> Object:
        """What an adapter answers now."""
        del query
        now = time_text(self.machine.now_us - self.machine.now_us % (15 * SECOND))
        if words[1] == "metrics.k8s.io":
            pods = [raw for key, raw in self.server.collections["pods"].objects.items() if key[0] == words[4]]
            items = [{"metadata": {"name": raw["metadata"]["name"]}, "timestamp": now, "window": "15s",
                      "containers": [{"name": "app", "usage": {"cpu": f"{self.chance.randrange(200)}m"}}]}
                     for raw in pods]  # fmt: skip
            return {"kind": "PodMetricsList", "items": items}
        value = str(self.chance.randrange(100))
        if words[1] == "custom.metrics.k8s.io":
            if self.chance.random() < 0.05:
                return status_of(404, "NotFound", "the server could not find the metric rps for pods")
            pods = [raw for key, raw in self.server.collections["pods"].objects.items() if key[0] == words[4]]
            return {"kind": "MetricValueList", "items": [
                {"describedObject": {"kind": "Pod", "name": raw["metadata"]["name"]}, "timestamp": now, "value": value}
                for raw in pods]}  # fmt: skip
        return {"kind": "ExternalMetricValueList", "items": [{"metricLabels": {}, "timestamp": now, "value": value}]}
