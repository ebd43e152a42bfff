"""What may have been seen of a world: all of it, or what a recorder sees under some mishap."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import get_args

from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.model.facts import (
    ControllerSeen,
    EventSeen,
    Fact,
    Gap,
    HeapsterRead,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    PodsListed,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetGone,
    TargetRef,
    TargetSeen,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.target import Scale
from hpaaudit.model.units import SECOND, Micros
from tests.fleet.outside import WATCHED, begun, published, watched_object

View = Callable[[Sequence[Fact]], Iterator[Fact]]

RENEWALS_US = 15 * SECOND
LATE_US = 3 * SECOND
"""More than the second that whole seconds leave open."""
METRICS = (ResourceMetricsRead, ValuesRead)
NOT_FOUND = 404
NOBODY = "", "", None
ANOTHER = {
    "tolerance": ("0.1", "0.3"),
    "downscale-stabilization": ("5m0s", "1m0s"),
    "upscale-delay": ("3m0s", "1m0s"),
    "downscale-delay": ("5m0s", "2m0s"),
}
"""Of each flag the default and a value that a controller may have instead."""


def whole(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The capture itself: each reconcile has a line, each write its writer."""
    yield from facts


def outside(facts: Sequence[Fact]) -> Iterator[Fact]:
    """What a recorder sees: no line of a reconcile, no write of the controller."""
    return (fact for fact in published(facts) if not isinstance(fact, Reconciled))


def _without(*kinds: type) -> View:
    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        return (fact for fact in outside(facts) if not isinstance(fact, kinds))

    return view


def _no_sync_period(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder that cannot read the controller's sync period."""
    for fact in outside(facts):
        if isinstance(fact, ControllerSeen):
            yield replace(fact, flags=tuple(flag for flag in fact.flags if "sync-period" not in flag[0]))
        else:
            yield fact


def _begun(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder that starts when a third of it is over."""
    return (fact for fact in begun(facts, len(facts) // 3) if not isinstance(fact, Reconciled))


def _ended(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder that stops when two thirds of it are over."""
    yield from list(outside(facts))[: len(facts) * 2 // 3]


def _hole(prefix: str, *kinds: type) -> View:
    """The same with a fifth of the time in the middle in which these were not observed, which a gap says."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        seen_facts = list(outside(facts))
        first_us, last_us = seen_facts[0].at_us, seen_facts[-1].at_us
        from_us, until_us = (Micros(first_us + (last_us - first_us) * fifth // 5) for fifth in (2, 3))
        yield from gapped(prefix, from_us, until_us, *kinds)(seen_facts)

    return view


def gapped(prefix: str, from_us: Micros, until_us: Micros, *kinds: type) -> View:
    """The same facts with a time in which these kinds were not observed, all kinds without any, which a gap says."""
    hidden = kinds or get_args(Fact)

    def view(seen_facts: Sequence[Fact]) -> Iterator[Fact]:
        gap = Gap(at_us=from_us, until_us=until_us, prefix=prefix, cause="nobody looked")
        before = [fact for fact in seen_facts if fact.at_us < from_us]
        within = [fact for fact in seen_facts if from_us <= fact.at_us < until_us]
        yield from before
        yield gap
        yield from (fact for fact in within if not isinstance(fact, hidden))
        missed = [fact for fact in within if isinstance(fact, hidden) and isinstance(fact, WATCHED)]
        # Whoever lists again sees each object as it stands then, not what it was meanwhile.
        yield from (replace(fact, at_us=until_us) for fact in {watched_object(fact): fact for fact in missed}.values())
        leases = [fact for fact in (*before, *within) if isinstance(fact, LeaseSeen)]
        yield from (replace(fact, at_us=until_us) for fact in leases[-1:] if LeaseSeen in hidden)
        yield from (fact for fact in seen_facts if fact.at_us >= until_us)

    return view


def _hpas_with_hole(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same for HPAs: whoever does not see an HPA's new target does not read that target's scale either."""
    targets: set[tuple[str, str]] = set()
    for fact in _hole("/apis/autoscaling/", HpaSeen)(facts):
        if isinstance(fact, HpaSeen):
            spec = json.loads(fact.spec_json)
            target = spec.get("scaleTargetRef") or spec["scaleRef"]
            targets.add((fact.namespace, target.get("name", "")))  # 1.1 takes one without a name
        if not isinstance(fact, ScaleRead) or (fact.target.namespace, fact.target.name) in targets:
            yield fact


def _minimal_rights(facts: Sequence[Fact]) -> Iterator[Fact]:
    """HPAs, pods, scales, metrics and the server's version: the rest is a gap from beginning to end."""
    hidden = ControllerSeen | EventSeen | LeaseSeen | ScaleWritten | TargetSeen
    seen_facts = [fact for fact in outside(facts) if not isinstance(fact, hidden)]
    if not seen_facts:
        return
    for prefix in ("/api/v1/events", "/apis/apps/v1/deployments#writers", "/apis/coordination.k8s.io/v1/leases"):
        yield Gap(at_us=seen_facts[0].at_us, until_us=seen_facts[-1].at_us, prefix=prefix, cause="HTTP 403: forbidden")
    yield from _version(facts, seen_facts)
    yield from seen_facts


def watched(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same with the rights to watch workloads: each change of a target as it is stored, and who owns its number."""
    owners: dict[TargetRef, tuple[str, str, Micros | None]] = {}
    shown: dict[TargetRef, Scale] = {}
    for fact in facts:
        if isinstance(fact, Reconciled | StatusWritten):
            continue
        if isinstance(fact, ScaleRead) and fact.status == NOT_FOUND and shown.pop(fact.target, None):
            owners.pop(fact.target, None)
            yield TargetGone(at_us=fact.at_us, target=fact.target, uid="")
        elif isinstance(fact, ScaleWritten | ScaleRead):
            if fact.scale is None or shown.get(fact.target) == fact.scale:
                continue
            if isinstance(fact, ScaleWritten):
                by_hpa = is_controller(fact.by)
                manager = "kube-controller-manager" if by_hpa else fact.manager or "kubectl-scale"
                owners[fact.target] = manager, "scale", fact.at_us
            shown[fact.target] = fact.scale
            yield _target(fact.at_us, fact.target, fact.scale, fact.resource_version, *owners.get(fact.target, NOBODY))
        elif isinstance(fact, (*METRICS, PodsListed, HeapsterRead)):
            yield replace(fact, by="")
        else:
            yield fact


def late(*kinds: type, late_us: int = LATE_US) -> View:
    """The same with a watch that shows these late."""

    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        shown = [
            replace(fact, at_us=fact.at_us + late_us) if isinstance(fact, kinds) else fact for fact in watched(facts)
        ]
        yield from sorted(shown, key=lambda fact: fact.at_us)

    return view


def _target(
    at_us: Micros,
    target: TargetRef,
    scale: Scale,
    version: str,
    manager: str,
    subresource: str,
    written_us: Micros | None,
) -> TargetSeen:
    return TargetSeen(
        at_us=at_us, target=target, kind="Deployment", uid="", resource_version=version, generation=0, scale=scale,
        manager=manager, operation="Update" if manager else "", subresource=subresource, written_us=written_us,
        template_hash="",
    )  # fmt: skip


def _other_flags(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The recorded flags are those of another controller: its tolerance and its stabilization are others."""
    for fact in outside(facts):
        if isinstance(fact, ControllerSeen):
            yield replace(fact, flags=tuple((name, _another(name, value)) for name, value in fact.flags))
        else:
            yield fact


def _another(name: str, value: str) -> str:
    for ending, (default, other) in ANOTHER.items():
        if name.endswith(ending):
            return other if value == default else default
    return value


def _no_controller(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Nothing tells of the controller process: not how it was started, nor that it was restarted."""
    seen = [fact for fact in outside(facts) if not isinstance(fact, ControllerSeen | LeaseSeen)]
    yield from _version(facts, seen)
    yield from seen


def _version(facts: Sequence[Fact], seen: Sequence[Fact]) -> Iterator[Fact]:
    """The API server's version, which anybody may read."""
    versions = [fact.version or fact.release for fact in facts if isinstance(fact, ControllerSeen)]
    for version in versions[: len(seen)][:1]:
        yield VersionRead(at_us=seen[0].at_us, version=version, clock_offset_us=None, round_trip_us=None)


def _restarts_by_lease(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Of a restart only the new holder of the Lease is seen."""
    holder = 0
    declared: list[Fact] = []
    for fact in outside(facts):
        if isinstance(fact, ControllerSeen):
            holder += fact.state == "started"
            if fact.state == "started" and not declared:
                declared.append(fact)
                yield replace(fact, state="declared")
            if fact.state == "started":
                yield _lease(fact.at_us, f"node_{holder}", holder - 1)
        else:
            yield fact


def _strange_lease(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The Lease is that of another program: it changes its holder in the middle, while the controller goes on."""
    seen_facts = list(outside(facts))
    half_us = middle_us(seen_facts)
    renewals = [
        _lease(Micros(at_us), f"node_{int(at_us > half_us)}", int(at_us > half_us))
        for at_us in range(seen_facts[0].at_us, seen_facts[-1].at_us, RENEWALS_US)
    ]
    yield from sorted([*seen_facts, *renewals], key=lambda fact: fact.at_us)


def _lease(at_us: Micros, holder: str, transitions: int) -> LeaseSeen:
    return LeaseSeen(
        at_us=at_us, namespace="kube-system", name="kube-controller-manager", holder=holder, acquired_us=at_us,
        renewed_us=at_us, transitions=transitions,
    )  # fmt: skip


def middle_us(facts: Sequence[Fact]) -> Micros:
    """When the controller of a halted world stops."""
    return Micros((facts[0].at_us + facts[-1].at_us) // 2)


def alive(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The world as it is seen from outside, with the Lease."""
    yield from _with_lease(list(outside(facts)), None)


def hung(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The process renews its Lease and reconciles nothing."""
    yield from _with_lease(list(_stopped(facts)), None)


def dead(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The process has ended, and no other one takes over."""
    yield from _with_lease(list(_stopped(facts)), middle_us(facts))


def hung_while_nothing_changes(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The process renews its Lease and reconciles nothing, while the metrics stay as they are."""
    at_us = middle_us(facts)
    last: dict[object, Fact] = {}
    for fact in hung(facts):
        if isinstance(fact, METRICS):
            if fact.at_us > at_us:
                fact = replace(last[fact.request], at_us=fact.at_us) if fact.request in last else fact  # noqa: PLW2901
            else:
                last[fact.request] = fact
        yield fact


def _stopped(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The world without what the controller wrote after the middle. Users still do what they did."""
    at_us = middle_us(facts)
    statuses: dict[str, HpaSeen] = {}
    replicas: dict[TargetRef, int] = {}
    for fact in outside(facts):
        later = fact.at_us > at_us
        if isinstance(fact, HpaSeen):
            key = f"{fact.namespace}/{fact.name}"
            before = statuses.get(key)
            if later and before is not None:
                # A write of its status is not seen; what a user does to it is.
                if fact.spec_json != before.spec_json:
                    statuses[key] = replace(
                        fact, status_json=before.status_json, annotations_json=before.annotations_json
                    )
                    yield statuses[key]
                continue
            statuses[key] = fact
        elif isinstance(fact, ScaleRead) and fact.scale is not None:
            if later and fact.target in replicas:
                yield replace(fact, scale=replace(fact.scale, spec_replicas=replicas[fact.target]))
                continue
            replicas[fact.target] = fact.scale.spec_replicas
        elif isinstance(fact, ScaleWritten) and fact.scale is not None:
            replicas[fact.target] = fact.scale.spec_replicas
        elif later and isinstance(fact, ControllerSeen | EventSeen):
            continue
        yield fact


def _with_lease(facts: Sequence[Fact], until_us: Micros | None) -> Iterator[Fact]:
    """The facts, with a renewal of the Lease every 15 s."""
    next_us = facts[0].at_us
    for fact in facts:
        while next_us <= fact.at_us and (until_us is None or next_us <= until_us):
            yield replace(_lease(next_us, "node_1", 0), acquired_us=facts[0].at_us)
            next_us = Micros(next_us + RENEWALS_US)
        yield fact


VIEWS: dict[str, View] = {
    "whole": whole,
    "outside": outside,
    "watched": watched,
    "from the middle": _begun,
    "to the middle": _ended,
    "a hole in the middle": _hole("*"),
    "statuses with a hole": _hpas_with_hole,
    "metrics with a hole": _hole("/apis/metrics.k8s.io/", ResourceMetricsRead),
    "pods with a hole": _hole("/api/v1/pods", PodSeen, PodGone),
    "minimal rights": _minimal_rights,
    "no sync period": _no_sync_period,
    "two other flags": _other_flags,
    "nothing of the controller": _no_controller,
    "restarts by the Lease": _restarts_by_lease,
    "a strange Lease": _strange_lease,
    "alive": alive,
    "dead": dead,
    "hung": hung,
    "hung while nothing changes": hung_while_nothing_changes,
    "no writers": _without(ScaleWritten, EventSeen),
    "no pods": _without(PodSeen, PodGone),
    "no metrics": _without(ResourceMetricsRead, ValuesRead),
    "targets seen late": late(TargetSeen),
    "HPAs seen late": late(HpaSeen),
    "no scales": _without(ScaleRead, ScaleWritten, TargetSeen),
}
HALTED = {"dead", "hung", "hung while nothing changes"}
"""Views of a world whose controller stops in the middle."""
