"""Draws the HPAs of the fleet: names, bounds, metrics, behaviors, and what their pods ask for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hpaaudit.api.to_facts import canonical_json
from tests.bench.world.behaviors import BEHAVIORS, SHARES

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

# In order of the alphabet, so that the number of an HPA is its place by namespace and name.
SERVICES = ("billing", "cart", "catalog", "checkout", "gateway", "ingest", "ledger", "orders", "render", "search")
UTILIZATION, VALUE, CONTAINER, CPU_ONLY, PODS, OBJECT, EXTERNAL = range(7)
KINDS = (0.45, 0.40, 0.05, 0.04, 0.02, 0.02, 0.02)  # cpu, and beside it what the names say
REFRESH_SECONDS = (15, 15, 15, 15, 30, 30, 30, 60, 60, 60)  # of a namespace's metrics: 40, 30 and 30 %
MIB = 1 << 20
RATE_TARGET, OBJECT_TARGET, QUEUE_TARGET = 100, 2000, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Hpas:
    """The HPAs of a fleet, in order of namespace and name.

    refresh_us, offset_us   of each namespace: its metrics' period, and when in an interval they are polled
    after_us                how long after the poll of its namespace an HPA is reconciled
    cpu_milli, memory_bytes   requests of a pod, of its first container where it has two
    base    how many pods the load wants on average;  swing, phase  of the load's daily curve
    """

    namespaces: tuple[str, ...]
    names: tuple[str, ...]
    namespace: Whole
    refresh_us: Whole
    offset_us: Whole
    after_us: Whole
    kind: Whole
    behavior: Whole
    least: Whole
    most: Whole
    target_percent: Whole
    memory_percent: Whole
    cpu_milli: Whole
    memory_bytes: Whole
    base: Real
    swing: Real
    phase: Real
    rollouts: Whole
    specs: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def memory_value(self) -> Whole:
        """The average that memory is held against, in bytes: the same as the percentage of the request."""
        return self.memory_bytes * self.memory_percent // 100


def draw(count: int, days: float, chance: np.random.Generator) -> Hpas:
    """Draws `count` HPAs for so many days."""
    number = np.arange(count)
    namespace = number // len(SERVICES)
    spaces = int(namespace[-1]) + 1
    base = np.clip(np.exp(chance.normal(2.5, 0.6, count)), 3, 34)
    kind = chance.choice(len(KINDS), count, p=KINDS)
    behavior = chance.choice(len(BEHAVIORS), count, p=SHARES)
    target = chance.choice([50, 60, 70, 75, 80], count)
    memory_percent = chance.choice([70, 80, 85, 90], count)
    memory_bytes = chance.choice([128, 256, 512, 1024, 2048], count) * MIB
    least, most = np.maximum(2, (base * 0.35).astype(int)), np.clip((base * 2.2).astype(int), 6, 40)
    names = tuple(f"{SERVICES[one % len(SERVICES)]}-{one:03d}" for one in number)
    return Hpas(
        namespaces=tuple(f"team-{space:03d}" for space in range(spaces)),
        names=names,
        namespace=namespace,
        refresh_us=chance.permutation(np.resize(REFRESH_SECONDS, spaces)).astype(np.int64) * 1_000_000,
        offset_us=chance.integers(500_000, 14_500_000, spaces),
        after_us=chance.integers(200_000, 5_000_000, count),
        kind=kind,
        behavior=behavior,
        least=least,
        most=most,
        target_percent=target,
        memory_percent=memory_percent,
        cpu_milli=chance.choice([100, 200, 250, 500, 1000, 2000], count),
        memory_bytes=memory_bytes,
        base=base,
        swing=chance.uniform(0.1, 0.5, count),
        phase=chance.uniform(0, 2 * np.pi, count),
        rollouts=chance.poisson(1.2 * days, count),
        specs=tuple(
            canonical_json(
                {
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": names[one]},
                    "minReplicas": int(least[one]),
                    "maxReplicas": int(most[one]),
                    "metrics": _metrics(
                        int(kind[one]),
                        int(target[one]),
                        int(memory_percent[one]),
                        int(memory_bytes[one] * memory_percent[one] // 100),
                        names[one],
                    ),
                    **({"behavior": BEHAVIORS[behavior[one]]} if behavior[one] else {}),
                }
            )
            for one in number
        ),
    )


def _metrics(kind: int, target: int, memory_percent: int, memory_value: int, name: str) -> list[dict[str, Any]]:
    """Returns `spec.metrics`: cpu, and beside it what the kind says."""
    percent = {"type": "Utilization", "averageUtilization": target}
    if kind == CONTAINER:
        return [
            {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "app", "target": percent}}
        ]
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": percent}}
    beside: dict[int, dict[str, Any]] = {
        UTILIZATION: {
            "type": "Resource",
            "resource": {
                "name": "memory",
                "target": {"type": "Utilization", "averageUtilization": memory_percent},
            },
        },
        VALUE: {
            "type": "Resource",
            "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": str(memory_value)}},
        },
        PODS: {
            "type": "Pods",
            "pods": {
                "metric": {"name": "http_requests_per_second"},
                "target": {"type": "AverageValue", "averageValue": str(RATE_TARGET)},
            },
        },
        OBJECT: {
            "type": "Object",
            "object": {
                "metric": {"name": "requests_per_second"},
                "describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": name},
                "target": {"type": "Value", "value": str(OBJECT_TARGET)},
            },
        },
        EXTERNAL: {
            "type": "External",
            "external": {
                "metric": {"name": "queue_length", "selector": {"matchLabels": {"queue": name}}},
                "target": {"type": "AverageValue", "averageValue": str(QUEUE_TARGET)},
            },
        },
    }
    return [cpu, beside[kind]] if kind in beside else [cpu]
