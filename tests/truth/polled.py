"""A capture as a shell loop writes it: every so many seconds it reads HPAs, pods, scales, metrics and the Lease."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hpaaudit.api.times import micros, precise
from hpaaudit.model.units import SECOND, Micros

Json = dict[str, Any]
HPAS, PODS = "/apis/autoscaling/v2/horizontalpodautoscalers", "/api/v1/pods"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
LISTS = {HPAS: "autoscaling/v2", PODS: "v1"}


class _Cluster:
    """What the API server would answer now."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[tuple[str, str], Json]] = {HPAS: {}, PODS: {}}
        self.answers: dict[str, Json] = {}

    def take(self, line: Json) -> None:
        """One line of a capture that saw everything."""
        path = line.get("get") or line.get("watch") or line.get("put") or line.get("patch") or ""
        of = HPAS if "horizontalpodautoscalers" in path else PODS if path.startswith(PODS) else None
        body = line.get("body") or {}
        if of is not None and "items" in body:
            self.objects[of] = {_key(item): item for item in body["items"]}
        elif of is not None and "watch" in line and line.get("object"):
            self.objects[of].pop(_key(line["object"]), None)
            if line["type"] in ("ADDED", "MODIFIED"):
                self.objects[of][_key(line["object"])] = line["object"]
        elif path.endswith("/status") and line.get("status") == 200 and body:
            self.objects[HPAS][_key(body)] = body
        elif (path.endswith("/scale") and ("get" in line or (line.get("status") == 200 and body))) or (
            "get" in line and "metrics" in path
        ):
            self.answers[path] = {name: line[name] for name in ("status", "body", "error") if name in line}

    def read(self, at_us: Micros, started_us: Micros, version: str) -> Iterator[Json]:
        """One turn of the loop."""
        at = precise(at_us)
        yield {"at": at, "get": "/version", "status": 200, "body": {"gitVersion": version}}
        spec = {
            "holderIdentity": "node-1",
            "leaseDurationSeconds": 15,
            "acquireTime": precise(started_us),
            "renewTime": at,
            "leaseTransitions": 0,
        }
        metadata = {"name": "kube-controller-manager", "namespace": "kube-system"}
        yield {"at": at, "get": LEASE, "status": 200, "body": {"metadata": metadata, "spec": spec}}
        for path, version_of_list in LISTS.items():
            items = list(self.objects[path].values())
            yield {"at": at, "get": path, "status": 200, "body": {"apiVersion": version_of_list, "items": items}}
        for path, answer in self.answers.items():
            yield {"at": at, "get": path, **answer}


def _key(thing: Json) -> tuple[str, str]:
    return thing["metadata"].get("namespace", ""), thing["metadata"]["name"]


def polled(capture: Path, every_s: float) -> Iterator[Json]:
    """The lines of a loop that turns every so many seconds, beside a controller of which `capture` tells everything."""
    with gzip.open(capture, "rt") as lines:
        seen = [json.loads(line) for line in lines]
    started_us = micros(seen[0]["at"])
    version = next(line["version"] for line in seen if line.get("controller"))
    cluster, next_us = _Cluster(), Micros(started_us + 5 * SECOND)
    for line in seen:
        while micros(line["at"]) > next_us:
            yield from cluster.read(next_us, started_us, version)
            next_us = Micros(next_us + round(every_s * SECOND))
        cluster.take(line)
    yield {"at": seen[-1]["at"], "end": True}
