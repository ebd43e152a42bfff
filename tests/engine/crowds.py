"""Turns short texts into pods and their samples, on a clock of the tests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpaaudit.model.metrics import ContainerUsage, PodSample
from hpaaudit.model.target import Container, Pod
from hpaaudit.model.units import SECOND, Micros, Milli

NOW = 1000
BEFORE = 20_000
"""Seconds before now at which pods started and became ready, unless a word says otherwise."""

SIDECAR_USAGE = 10
"""What a sidecar uses in every sample."""

ZERO_US = 1_772_460_000 * SECOND  # 2026-03-02T14:00:00Z
_TOKEN = re.compile(r"(\d+)(?:@(-?\d+))?(?::([\w,\-]+))?")
_RESOURCES = ("cpu", "memory")


def at(seconds: float) -> Micros:
    """Place a second of a scene's clock on the calendar."""
    return Micros(ZERO_US + round(seconds * SECOND))


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
    """Reads a crowd: `3@550` three pods using 550m, `1` one without a sample, `2@9:unready,since-40`.

    `start-N`, `since-N`, `age-N` are seconds before now, `window-N` a length; `fields` are those of Member.
    """
    members: list[Member] = []
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
        members += [Member(usage=usage, **changes)] * int(match[1])
    return tuple(members)


def amounts(**milli: int) -> tuple[tuple[str, Milli], ...]:
    """Name thousandths by resource."""
    return tuple((name, Milli(value)) for name, value in milli.items())


def name_of(member: Member, index: int) -> str:
    return member.named or f"web-{index}"


def _requests(amount: int | None) -> tuple[tuple[str, Milli], ...]:
    return () if amount is None else tuple((name, Milli(amount)) for name in _RESOURCES)


def _pod(member: Member, index: int, now: float) -> Pod:
    return Pod(
        namespace="shop",
        name=name_of(member, index),
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
    """Lists the pods of a crowd as the API would."""
    return tuple(_pod(member, index, now) for index, member in enumerate(crowd) if member.listed)


def _sidecars(member: Member) -> list[Container]:
    return [container for container in member.init if container.restart_policy == "Always"]


def samples(crowd: Crowd, now: float = NOW) -> tuple[PodSample, ...]:
    """Gives the crowd's samples as `metrics.k8s.io` would."""
    return tuple(
        PodSample(
            pod=name_of(member, index),
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
