"""Turns short texts into Observations, so that a case is a line.

`pods("2@600 1:pending")` are two pods that use 600m each, and a Pending one; `cpu(30)` is a target of 30 %.
Times are seconds on a clock of our own, on which a reconcile stands at 1000 unless a case says otherwise.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.requests import metrics_request, request_of
from hpaaudit.api.selector import BadSelector
from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.decision import Decision, MetricProposal
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead, ScaleRead, TargetRef, ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.metrics import MetricValue
from hpaaudit.model.observation import Observation, WriteOutcome
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros, Milli
from tests.engine.crowds import NOW, Crowd, Member, amounts, at, listed, name_of, pods, samples
from tests.engine.memories import condition, events, posted, remembered, says, slots
from tests.engine.wanted import Metric, asks, container, cpu, external, memory, of_object, per_pod, resource

__all__ = [
    "ASLEEP",
    "BLANK",
    "LEAVING_ZERO",
    "NOW",
    "RELEASE_1_36",
    "SCALE_PATH",
    "SCALE_TO_ZERO",
    "TARGET",
    "Crowd",
    "Loop",
    "Member",
    "Metric",
    "after",
    "amounts",
    "asks",
    "at",
    "condition",
    "container",
    "cpu",
    "decide",
    "events",
    "external",
    "failed_scale",
    "flags",
    "hpa_of",
    "listed",
    "memory",
    "observation",
    "of_object",
    "per_pod",
    "pods",
    "posted",
    "propose",
    "refused_write",
    "remembered",
    "resource",
    "samples",
    "says",
    "scale_read",
    "slots",
]

BLANK = HpaStatus(
    observed_generation=None,
    last_scale_us=None,
    current_replicas=0,
    desired_replicas=0,
    current_metrics=None,
    conditions=(),
)


def flags(*gates: tuple[str, bool], **fields: Any) -> Flags:
    """Starts a controller of release 1.36; `fields` are those of Flags."""
    return Flags(**({"release": "1.36", "gates": gates} | fields))


RELEASE_1_36 = flags()
SCALE_TO_ZERO = flags(("HPAScaleToZero", True))

ASLEEP = replace(
    BLANK,
    conditions=(
        Condition(type="ScaledToZero", status="True", reason="ScaledToZero", message="", last_transition_us=Micros(0)),
    ),
)
"""The status of an HPA that this controller itself scaled to zero."""

LEAVING_ZERO: Mapping[str, Any] = {
    "replicas": 0,
    "status": ASLEEP,
    "flags": SCALE_TO_ZERO,
}
"""What a scene at zero needs so that its metrics are consulted."""

TARGET = TargetRef(group="apps", resource="deployments", namespace="shop", name="web")
SCALE_PATH = "/apis/apps/v1/namespaces/shop/deployments/web/scale"


def hpa_of(
    *metrics: Metric,
    minimum: int | None = 1,
    maximum: int = 100,
    behavior: Mapping[str, Any] | None = None,
    status: HpaStatus = BLANK,
    target: Mapping[str, Any] | None = None,
) -> Hpa:
    """Writes an HPA; `behavior` is JSON, `{}` brings every default."""
    written: dict[str, Any] = {
        "scaleTargetRef": target or {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": maximum,
        "metrics": [metric.written for metric in metrics],
    }
    if minimum is not None:
        written["minReplicas"] = minimum
    if behavior is not None:
        written["behavior"] = behavior
    fact = HpaSeen(
        at_us=Micros(0),
        namespace="shop",
        name="web",
        uid="uid-web",
        api_version="autoscaling/v2",
        resource_version="1",
        generation=1,
        created_us=None,
        spec_json=json.dumps(written),
        status_json="{}",
    )
    return replace(decode_hpa(fact), status=status)


def scale_read(
    replicas: int, status_replicas: int | None = None, selector: str = "app=web", now: float = NOW
) -> ScaleRead:
    """Answers a GET of the scale."""
    scale = Scale(
        spec_replicas=replicas,
        status_replicas=replicas if status_replicas is None else status_replicas,
        selector=selector,
    )
    return ScaleRead(
        at_us=at(now), took_us=Micros(0), target=TARGET, path=SCALE_PATH, status=200, error="", by="", scale=scale,
        resource_version="1",
    )  # fmt: skip


def failed_scale(status: int, error: str, now: float = NOW) -> ScaleRead:
    """Refuses a GET of the scale."""
    return replace(scale_read(0, now=now), status=status, error=error, scale=None)


def refused_write(status: int, error: str, now: float = NOW) -> WriteOutcome:
    """Answers a write of the scale, or of the status, with an error."""
    return WriteOutcome(at_us=at(now), path=SCALE_PATH, status=status, error=error)


def observation(
    *metrics: Metric,
    replicas: int = 1,
    status_replicas: int | None = None,
    crowd: Crowd = (),
    now: float = NOW,
    selector: str = "app=web",
    hpa: Hpa | None = None,
    **fields: Any,
) -> Observation:
    """Builds what a reconcile sees; `fields` are those of `hpa_of` and of Observation."""
    of_observation = {key: fields.pop(key) for key in tuple(fields) if key in Observation.__dataclass_fields__}
    hpa = hpa or hpa_of(*metrics, **fields)
    if status_replicas is None:
        status_replicas = 0 if any(metric.exactly for metric in metrics) else replicas
    reads = tuple(_read(hpa, index, metric, crowd, selector, now) for index, metric in enumerate(metrics))
    arguments: dict[str, Any] = {
        "at_us": at(now),
        "began_us": at(now),
        "namespace": "shop",
        "name": "web",
        "hpa": hpa,
        "target_error": "",
        "scale_reads": (scale_read(replicas, status_replicas, selector, now),),
        "scale_us": at(now),
        "pods": listed(crowd, now),
        "metrics": reads,
        "metric_us": (at(now),) * len(reads),
        "rivals": (),
        "decided_us": at(now),
        "scale_writes": (),
        "status_write": None,
    }
    return Observation(**arguments | of_observation)


def _read(
    hpa: Hpa, index: int, metric: Metric, crowd: Crowd, selector: str, now: float
) -> ResourceMetricsRead | ValuesRead | None:
    try:
        request = request_of("shop", hpa.spec.metrics[index], selector)
    except BadSelector:
        return None
    if request is None:
        request = metrics_request("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/none")
    if request is None:
        raise AssertionError("a path of a metric API is a request")
    good = metric.status == 200
    head: dict[str, Any] = {
        "at_us": at(now), "took_us": Micros(0), "request": request, "path": "/metrics", "by": "",
        "status": metric.status, "error": metric.error,
    }  # fmt: skip
    if request.api == "metrics.k8s.io":
        return ResourceMetricsRead(**head, samples=samples(crowd, now) if good else None)
    named_values: Iterable[tuple[str, int]] = (
        [(name_of(member, index), member.usage) for index, member in enumerate(crowd) if member.usage is not None]
        if metric.values is None
        else [("main-route", value) for value in metric.values]
    )
    values = tuple(
        MetricValue(object=name, timestamp_us=at(now), window_us=None, value=Milli(value))
        for name, value in named_values
    )
    return ValuesRead(**head, values=values if good else None)


def decide(*metrics: Metric, memory: Memory = EMPTY, flags: Flags = RELEASE_1_36, **scene: Any) -> Decision:
    """Lets the engine decide a scene."""
    return reconcile(observation(*metrics, **scene), memory, flags)[0]


def after(
    *metrics: Metric, memory: Memory = EMPTY, flags: Flags = RELEASE_1_36, **scene: Any
) -> tuple[Decision, Memory]:
    """Lets the engine decide a scene, and shows what it remembers."""
    return reconcile(observation(*metrics, **scene), memory, flags)


def propose(metric: Metric, *, flags: Flags = RELEASE_1_36, **scene: Any) -> MetricProposal:
    """Shows what one metric asks for, and which pods stood behind it."""
    return reconcile(observation(metric, **scene), EMPTY, flags, keep_pods=True)[0].proposals[0]


@dataclass(slots=True)
class Loop:
    """A controller process and one HPA in a closed loop: replicas, status and memory move on."""

    replicas: int
    flags: Flags = RELEASE_1_36
    memory: Memory = EMPTY
    status: HpaStatus = BLANK
    writes: list[tuple[float, int]] = field(default_factory=list)

    def reconcile(self, now: float, *metrics: Metric, **scene: Any) -> Decision:
        """Reconcile once; a scale that succeeds is there at the next time."""
        observed = observation(*metrics, replicas=self.replicas, now=now, status=self.status, **scene)
        decision, self.memory = reconcile(observed, self.memory, self.flags)
        if decision.status is not None:
            self.status = decision.status
        if decision.attempts and decision.attempts[-1].status == 200 and decision.desired is not None:
            self.replicas = decision.desired
            self.writes.append((now, decision.desired))
        return decision

    def every(self, period: float, start: float, end: float, *metrics: Metric, **scene: Any) -> list[tuple[float, int]]:
        """Reconcile at a period, ends included; returns the writes: when, and to which number."""
        before = len(self.writes)
        now = start
        while now <= end:
            self.reconcile(now, *metrics, **scene)
            now += period
        return self.writes[before:]
