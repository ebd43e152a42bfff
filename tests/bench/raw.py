"""The same polls as raw JSON: for each HPA and interval a line with everything that the API answers about it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from hpaaudit.api.times import precise, whole_seconds
from hpaaudit.model.units import Micros
from tests.bench.raw_pod import State, text
from tests.bench.world.hpas import CONTAINER, PODS
from tests.bench.world.step import Step
from tests.bench.world.world import World

MS = 1000
PAGE_KIB = 4


@dataclass(slots=True)
class Raw:
    """Writes the lines of one world; `_known` keeps the text of each pod for as long as its state is the same."""

    world: World
    _known: dict[int, tuple[State, str]] = field(default_factory=dict)

    def lines(self, step: Step) -> Iterator[str]:
        """Yield the lines of an interval that was just lived through, as they would be written."""
        pods, alive = self.world.pods, self.world.pods.alive
        at = step.decided[pods["hpa"][alive]]
        there = alive[(pods["born"][alive] <= at) & (at < pods["gone"][alive])]
        first = np.searchsorted(pods["hpa"][there], np.arange(len(self.world.hpas) + 1))
        values = self._values(step)
        for hpa in np.argsort(step.decided).tolist():
            places = there[first[hpa] : first[hpa + 1]].tolist()
            yield self._line(hpa, int(step.decided[hpa]), places, values.get(hpa, ""))

    def _line(self, hpa: int, at: int, places: list[int], values: str) -> str:
        listed = self.world.listed.now
        items = ",".join(self._pod(index, at) for index in places)
        used = ",".join(self._sample(index, at) for index in places if listed[index])
        return (
            f'{{"at":"{precise(Micros(at))}","hpa":{self._hpa(hpa)},"scale":{self._scale(hpa)},'
            f'"pods":{{"kind":"PodList","apiVersion":"v1","items":[{items}]}},'
            f'"metrics":{{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","items":[{used}]}}{values}}}\n'
        )

    def _hpa(self, hpa: int) -> str:
        hpas, replicas = self.world.hpas, self.world.spec[hpa]
        return (
            f'{{"metadata":{{"name":"{hpas.names[hpa]}","namespace":"{hpas.namespaces[hpas.namespace[hpa]]}",'
            f'"resourceVersion":"{5_000_000 + self.world.tick}"}},"spec":{hpas.specs[hpa]},'
            f'"status":{{"currentReplicas":{replicas},"desiredReplicas":{replicas}}}}}'
        )

    def _scale(self, hpa: int) -> str:
        return (
            f'{{"spec":{{"replicas":{self.world.spec[hpa]}}},'
            f'"status":{{"replicas":{self.world.status[hpa]},"selector":"app={self.world.hpas.names[hpa]}"}}}}'
        )

    def _pod(self, index: int, at: int) -> str:
        pods = self.world.pods
        started, deleted = int(pods["started"][index]), int(pods["deleted"][index])
        one, now = np.array([index]), np.array([at])
        state = State(
            running=bool(pods["running"][index] <= at),
            ready=bool(pods.is_ready(one, now)[0]),
            started=started if started <= at else None,
            turned=int(pods.turned(one, now)[0]) if started <= at else 0,
            deleted=deleted if deleted <= at else None,
        )
        cached = self._known.get(index)
        if cached is None or cached[0] != state:
            cached = self._known[index] = state, text(self.world, index, state)
        return cached[1]

    def _sample(self, index: int, at: int) -> str:
        pods, usage, hpas = self.world.pods, self.world.usage, self.world.hpas
        name, hpa = pods.names[index], int(pods["hpa"][index])
        space = hpas.namespaces[hpas.namespace[hpa]]
        containers = _container("app", usage["nano"][index], usage["pages"][index])
        if hpas.kind[hpa] == CONTAINER:
            containers += "," + _container("proxy", usage["side_nano"][index], usage["side_pages"][index])
        return (
            f'{{"metadata":{{"name":"{name}","namespace":"{space}",'
            f'"creationTimestamp":"{whole_seconds(Micros(at))}","labels":{{"app":"{hpas.names[hpa]}",'
            f'"app.kubernetes.io/name":"{hpas.names[hpa]}","app.kubernetes.io/version":"1.42.0",'
            f'"pod-template-hash":"{name.rsplit("-", 2)[1]}","team":"{space}"}}}},'
            f'"timestamp":"{whole_seconds(Micros(int(usage["timestamp"][index])))}",'
            f'"window":"{usage["window"][index] / MS / MS:.3f}s","containers":[{containers}]}}'
        )

    def _values(self, step: Step) -> dict[int, str]:
        """Return the answers of the custom and external metric APIs by HPA, as a part of its line."""
        pods_by_namespace: dict[int, list[str]] = {}
        numbers, polled = step.values.numbers, step.values
        for item in np.flatnonzero(~polled.gone).tolist():
            hpa = int(polled.of[polled.read[item]])
            pods = self.world.hpas.kind[hpa] == PODS
            what = f'"kind":"Pod","name":"{self.world.pods.names[polled.who[item]]}"' if pods else '"kind":"Ingress"'
            stamp = whole_seconds(Micros(int(numbers["timestamp"][item])))
            pods_by_namespace.setdefault(hpa, []).append(
                f'{{"describedObject":{{{what}}},"metric":{{"name":"http_requests_per_second"}},'
                f'"timestamp":"{stamp}","value":"{numbers["value"][item]}m"}}'
            )
        return {hpa: f',"values":{{"items":[{",".join(items)}]}}' for hpa, items in pods_by_namespace.items()}


def _container(name: str, nano: int, pages: int) -> str:
    return f'{{"name":"{name}","usage":{{"cpu":"{nano}n","memory":"{pages * PAGE_KIB}Ki"}}}}'


def bytes_of(hpas: int, seed: int, *, warm: int, polls: int, level: int) -> tuple[int, int, int]:
    """Return bytes of raw lines of some polls once the world is under way, as they are and packed; and their pods."""
    world = World(hpas, seed, 1.0)
    for _ in range(warm):
        world.step(anew=False)
    raw, parts, pods = Raw(world), [], 0
    for _ in range(polls):
        step = world.step(anew=False)
        parts += [line.encode() for line in raw.lines(step)]
        pods += int(step.metrics.items.clip(0).sum())
    lines = b"".join(parts)
    return len(lines), len(pa.Codec("zstd", level).compress(lines, asbytes=True)), pods
