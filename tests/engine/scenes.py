"""Turns little words into Observations, so that a case is a line.

`pods("2@600 1:pending")` are two pods that use 600m each, and a Pending one; `cpu(30)` is a target of 30 %.
Times are seconds on a clock of our own, on which a reconcile stands at 1000 unless a case says otherwise.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.requests import metrics_request, request_of
from hpaaudit.api.selector import BadSelector
from hpaaudit.engine.reconcile import reconcile
from hpaaudit.model.decision import Decision, MetricProposal
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead, ScaleRead, TargetRef, ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus
from hpaaudit.model.memory import EMPTY, Memory, Recommendation, ScaleEvent
from hpaaudit.model.metrics import ContainerUsage, MetricValue, PodSample
from hpaaudit.model.observation import Observation, WriteOutcome
from hpaaudit.model.target import Container, Pod, Scale
from hpaaudit.model.units import SECOND, Micros, Milli

NOW = 1000
BEFORE = 20_000
"""Seconds before now at which pods started and became ready, unless a word says otherwise."""

BLANK = HpaStatus(
    observed_generation=None,
    last_scale_us=None,
    current_replicas=0,
    desired_replicas=0,
    current_metrics=None,
    conditions=(),
)


def flags(*gates: tuple[str, bool], **fields: Any) -> Flags:
    """Start a controller of release 1.36; `fields` are those of Flags."""
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

SIDECAR_USAGE = 10
"""What a sidecar uses in every sample."""

_ZERO_US = 1_772_460_000 * SECOND  # 2026-03-02T14:00:00Z
_TOKEN = re.compile(r"(\d+)(?:@(-?\d+))?(?::([\w,\-]+))?")
_RESOURCES = ("cpu", "memory")


def at(seconds: float) -> Micros:
    """Place a second of a scene's clock on the calendar."""
    return Micros(_ZERO_US + round(seconds * SECOND))


# --- pods --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One pod and its sample; times are seconds before the reconcile, None where the field is absent.

    containers   name to requested and used thousandths, of cpu and memory alike; None: not there
    listed       False: it is sampled, but no such pod is listed
    """

    usage: int | None
    containers: tuple[tuple[str, int | None, int | None], ...]
    phase: str = "Running"
    ready: str = "True"
    since: float | None = BEFORE
    started: float | None = BEFORE
    age: float = 0
    window: float = 60
    deleting: bool = False
    listed: bool = True
    named: str = ""
    labels: tuple[tuple[str, str], ...] = (("app", "web"),)
    init: tuple[Container, ...] = ()
    level: tuple[tuple[str, Milli], ...] | None = None
    overhead: tuple[tuple[str, Milli], ...] = ()


Crowd = tuple[Member, ...]

_STATES: Mapping[str, Mapping[str, Any]] = {
    "pending": {"phase": "Pending", "ready": "False"},
    "failed": {"phase": "Failed"},
    "succeeded": {"phase": "Succeeded"},
    "terminating": {"deleting": True},
    "unready": {"ready": "False"},
    "unknown": {"ready": "Unknown"},
    "unconditioned": {"ready": "", "since": None},
    "unstarted": {"started": None},
    "ghost": {"listed": False},
}
_SECONDS = {"start": "started", "since": "since", "age": "age", "window": "window"}


def pods(text: str, *, request: int | None = 1000, **fields: Any) -> Crowd:
    """Read a crowd: `3@550` three pods using 550m, `1` one without a sample, `2@9:unready,since-40`.

    `start-N`, `since-N`, `age-N` are seconds before now, `window-N` a length; `fields` are those of Member.
    """
    found: list[Member] = []
    for word in text.split():
        match = _TOKEN.fullmatch(word)
        if match is None:
            raise AssertionError(f"no such pods: {word}")
        usage = None if match[2] is None else int(match[2])
        changes: dict[str, Any] = dict(fields)
        for state in filter(None, (match[3] or "").split(",")):
            name, dash, seconds = state.partition("-")
            changes |= {_SECONDS[name]: float(seconds)} if dash else _STATES[state]
        changes.setdefault("containers", (("app", request, usage),))
        found += [Member(usage=usage, **changes)] * int(match[1])
    return tuple(found)


def amounts(**milli: int) -> tuple[tuple[str, Milli], ...]:
    """Name thousandths by resource."""
    return tuple((name, Milli(value)) for name, value in milli.items())


def _name(member: Member, index: int) -> str:
    return member.named or f"web-{index}"


def _requests(amount: int | None) -> tuple[tuple[str, Milli], ...]:
    return () if amount is None else tuple((name, Milli(amount)) for name in _RESOURCES)


def _pod(member: Member, index: int, now: float) -> Pod:
    return Pod(
        namespace="shop",
        name=_name(member, index),
        uid=f"uid-{index}",
        resource_version="1",
        labels=member.labels,
        phase=member.phase,
        deleting_us=at(now - 1) if member.deleting else None,
        start_us=None if member.started is None else at(now - member.started),
        ready=member.ready,
        ready_transition_us=None if member.since is None else at(now - member.since),
        containers=tuple(Container(name=name, requests=_requests(asked)) for name, asked, _ in member.containers),
        init_containers=member.init,
        pod_requests=member.level,
        overhead=member.overhead,
    )


def listed(crowd: Crowd, now: float = NOW) -> tuple[Pod, ...]:
    """List the pods of a crowd as the API would."""
    return tuple(_pod(member, index, now) for index, member in enumerate(crowd) if member.listed)


def _sidecars(member: Member) -> list[Container]:
    return [found for found in member.init if found.restart_policy == "Always"]


def samples(crowd: Crowd, now: float = NOW) -> tuple[PodSample, ...]:
    """Give the crowd's samples as `metrics.k8s.io` would."""
    return tuple(
        PodSample(
            pod=_name(member, index),
            timestamp_us=at(now - member.age),
            window_us=Micros(round(member.window * SECOND)),
            containers=(
                *(
                    ContainerUsage(name=name, usage=_requests(used))
                    for name, _, used in member.containers
                    if used is not None
                ),
                *(ContainerUsage(name=side.name, usage=_requests(SIDECAR_USAGE)) for side in _sidecars(member)),
            ),
        )
        for index, member in enumerate(crowd)
        if member.usage is not None
    )


# --- metrics -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One entry of `spec.metrics` as a user writes it, and what its API answers.

    values   of the series or of the object; None: the samples of the pods
    status, error   of an answer that failed
    exactly   its target stands against no replicas of status, so that no tolerance applies
    """

    written: Mapping[str, Any]
    values: tuple[int, ...] | None = None
    status: int = 200
    error: str = ""
    exactly: bool = False

    def failing(
        self, status: int = 503, error: str = "the server is currently unable to handle the request"
    ) -> "Metric":
        """Let the API refuse instead."""
        return replace(self, status=status, error=error)


def _target(percent: int | None = None, average: int | None = None, value: int | None = None) -> dict[str, Any]:
    if percent is not None:
        return {"type": "Utilization", "averageUtilization": percent}
    if average is not None:
        return {"type": "AverageValue", "averageValue": f"{average}m"}
    return {"type": "Value", "value": f"{value}m"}


def resource(name: str, percent: int | None = None, *, average: int | None = None) -> Metric:
    """Ask for a percentage of requests, or for an average in thousandths."""
    return Metric(written={"type": "Resource", "resource": {"name": name, "target": _target(percent, average)}})


def cpu(percent: int | None = None, *, average: int | None = None) -> Metric:
    """Ask for cpu."""
    return resource("cpu", percent, average=average)


def memory(percent: int | None = None, *, average: int | None = None) -> Metric:
    """Ask for memory."""
    return resource("memory", percent, average=average)


def container(name: str, percent: int | None = None, *, average: int | None = None) -> Metric:
    """Ask for the cpu of one container."""
    source = {"name": "cpu", "container": name, "target": _target(percent, average)}
    return Metric(written={"type": "ContainerResource", "containerResource": source})


def per_pod(average: int, *, name: str = "qps", selector: Any = None) -> Metric:
    """Ask for a custom metric of each pod."""
    return Metric(
        written={"type": "Pods", "pods": {"metric": _identifier(name, selector), "target": _target(average=average)}}
    )


def of_object(
    *seen: int, value: int | None = None, average: int | None = None, name: str = "rps", selector: Any = None
) -> Metric:
    """Ask for a custom metric of an Ingress, which answers with `seen`."""
    source = {
        "describedObject": {"kind": "Ingress", "name": "main-route", "apiVersion": "networking.k8s.io/v1"},
        "metric": _identifier(name, selector),
        "target": _target(average=average, value=value),
    }
    return Metric(written={"type": "Object", "object": source}, values=seen)


def external(
    *seen: int, value: int | None = None, average: int | None = None, name: str = "queue", selector: Any = None
) -> Metric:
    """Ask for an external metric, whose series are `seen`."""
    source = {"metric": _identifier(name, selector), "target": _target(average=average, value=value)}
    return Metric(written={"type": "External", "external": source}, values=seen)


def asks(replicas: int, *, name: str = "queue") -> Metric:
    """Propose this number of replicas, whatever the pods do."""
    return replace(external(replicas * 1000, average=1000, name=name), exactly=True)


def _identifier(name: str, selector: Any) -> dict[str, Any]:
    return {"name": name} if selector is None else {"name": name, "selector": selector}


# --- a look ------------------------------------------------------------------------------------------------


def hpa_of(
    *metrics: Metric,
    minimum: int | None = 1,
    maximum: int = 100,
    behavior: Mapping[str, Any] | None = None,
    status: HpaStatus = BLANK,
    target: Mapping[str, Any] | None = None,
) -> Hpa:
    """Write an HPA; `behavior` is JSON, `{}` brings every default."""
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
    """Answer a GET of the scale."""
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
    """Refuse a GET of the scale."""
    return replace(scale_read(0, now=now), status=status, error=error, scale=None)


def refused_write(status: int, error: str, now: float = NOW) -> WriteOutcome:
    """Answer a write of the scale, or of the status, with an error."""
    return WriteOutcome(at_us=at(now), path=SCALE_PATH, status=status, error=error)


def look(
    *metrics: Metric,
    replicas: int = 1,
    status_replicas: int | None = None,
    crowd: Crowd = (),
    now: float = NOW,
    selector: str = "app=web",
    hpa: Hpa | None = None,
    **fields: Any,
) -> Observation:
    """Build what a reconcile sees; `fields` are those of `hpa_of` and of Observation."""
    of_observation = {key: fields.pop(key) for key in tuple(fields) if key in Observation.__dataclass_fields__}
    hpa = hpa or hpa_of(*metrics, **fields)
    if status_replicas is None:
        status_replicas = 0 if any(metric.exactly for metric in metrics) else replicas
    reads = tuple(_read(hpa, index, metric, crowd, selector, now) for index, metric in enumerate(metrics))
    made: dict[str, Any] = {
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
    return Observation(**made | of_observation)


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
    seen: Iterable[tuple[str, int]] = (
        [(_name(member, index), member.usage) for index, member in enumerate(crowd) if member.usage is not None]
        if metric.values is None
        else [("main-route", value) for value in metric.values]
    )
    values = tuple(
        MetricValue(object=name, timestamp_us=at(now), window_us=None, value=Milli(value)) for name, value in seen
    )
    return ValuesRead(**head, values=values if good else None)


def decide(*metrics: Metric, memory: Memory = EMPTY, flags: Flags = RELEASE_1_36, **scene: Any) -> Decision:
    """Let the engine decide a scene."""
    return reconcile(look(*metrics, **scene), memory, flags)[0]


def after(
    *metrics: Metric, memory: Memory = EMPTY, flags: Flags = RELEASE_1_36, **scene: Any
) -> tuple[Decision, Memory]:
    """Let the engine decide a scene, and show what it remembers."""
    return reconcile(look(*metrics, **scene), memory, flags)


def propose(metric: Metric, *, flags: Flags = RELEASE_1_36, **scene: Any) -> MetricProposal:
    """Show what one metric asks for, and which pods stood behind it."""
    return reconcile(look(metric, **scene), EMPTY, flags, keep_pods=True)[0].proposals[0]


# --- memory and statuses -----------------------------------------------------------------------------------


def remembered(*entries: str, up: Sequence[str] = (), down: Sequence[str] = ()) -> Memory:
    """Write a memory: recommendations as `10@800`, scale events as `5@990`, with `!` where outdated."""
    return Memory(
        recommendations=tuple(
            Recommendation(replicas=int(number), at_us=at(float(when)))
            for number, when in (entry.split("@") for entry in entries)
        ),
        up=_events(up),
        down=_events(down),
    )


def _events(entries: Sequence[str]) -> tuple[ScaleEvent, ...] | None:
    found = tuple(
        ScaleEvent(change=int(number), at_us=at(float(when.rstrip("!"))), outdated=when.endswith("!"))
        for number, when in (entry.split("@") for entry in entries)
    )
    return found or None


def _seconds(at_us: Micros) -> str:
    return f"{(at_us - _ZERO_US) / SECOND:g}"


def slots(memory: Memory) -> str:
    """Print the recommendations as `remembered` reads them."""
    return " ".join(f"{entry.replicas}@{_seconds(entry.at_us)}" for entry in memory.recommendations or ())


def events(found: tuple[ScaleEvent, ...] | None) -> str:
    """Print scale events as `remembered` reads them."""
    return " ".join(f"{event.change}@{_seconds(event.at_us)}{'!' * event.outdated}" for event in found or ())


def condition(decision: Decision, kind: str) -> Condition:
    """Find a condition of the status that was decided."""
    if decision.status is None:
        raise AssertionError("this reconcile has no status")
    return next(found for found in decision.status.conditions if found.type == kind)


def says(decision: Decision, kind: str) -> str:
    """Print a condition as `True/ScaleUpLimit`."""
    found = condition(decision, kind)
    return f"{found.status}/{found.reason}"


def posted(decision: Decision) -> list[str]:
    """Print the reasons of the events."""
    return [event.reason for event in decision.events]


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
        seen = look(*metrics, replicas=self.replicas, now=now, status=self.status, **scene)
        decision, self.memory = reconcile(seen, self.memory, self.flags)
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
