"""Finds which pods change a decision: unready ones that become ready, and foreign ones that no longer match."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.flows.desired import desired_of
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.flips import ForeignPodFlip, ReadyFlip
from hpaaudit.model.hpa import ObjectRef
from hpaaudit.model.target import Pod
from hpaaudit.model.units import SECOND, Micros

MOST_PODS = 50
"""No more pods are changed at once."""

LONG_AGO_US = 24 * 3600 * SECOND
"""A pod that became ready so long ago is ready by every rule."""

_PODS_BELONG_TO = {
    "Deployment": "ReplicaSet",
    "Rollout": "ReplicaSet",
    "DeploymentConfig": "ReplicationController",
    "ReplicaSet": "",
    "ReplicationController": "",
    "StatefulSet": "",
}
"""Through which kind a target owns its pods; empty: directly. Whom a custom kind owns is unknown."""


def pod_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[ReadyFlip | ForeignPodFlip]:
    """The fewest unready pods that must be ready, and the fewest foreign pods that must be gone, for another number.

    decision   with its pods
    """
    measured = _measured(inputs)
    unready = sorted(
        {pod.pod for proposal in decision.proposals for pod in proposal.pods if pod.bucket == "unready"} & measured
    )
    found = _fewest(decision, inputs, unready, _made_ready)
    if found:
        yield ReadyFlip(pods=found[0], unready=len(unready), desired=found[1])
    owner_of = _foreign(decision, inputs)
    found = _fewest(decision, inputs, sorted(owner_of), _without)
    if found:
        owners = tuple(dict.fromkeys(owner_of[pod] for pod in found[0]))
        yield ForeignPodFlip(pods=found[0], foreign=len(owner_of), owners=owners, desired=found[1])


def _fewest(
    decision: Decision,
    inputs: ReconcileInput,
    names: Sequence[str],
    changed: Callable[[ReconcileInput, frozenset[str]], ReconcileInput],
) -> tuple[tuple[str, ...], int] | None:
    """The first of these pods, as few as lead to another number, and that number."""
    for count in range(1, min(len(names), MOST_PODS) + 1):
        desired = desired_of(changed(inputs, frozenset(names[:count])))
        if desired is not None and desired != decision.desired:
            return tuple(names[:count]), desired
    return None


def _measured(inputs: ReconcileInput) -> set[str]:
    """The pods of which some metric has a value."""
    names = set[str]()
    for read in inputs.observation.metrics:
        if isinstance(read, ResourceMetricsRead):
            names |= {sample.pod for sample in read.samples or ()}
        elif isinstance(read, ValuesRead) and read.request.object == "*":
            names |= {value.object for value in read.values or ()}
    return names


def _made_ready(inputs: ReconcileInput, names: frozenset[str]) -> ReconcileInput:
    observation = inputs.observation
    since_us = Micros(observation.decided_us - LONG_AGO_US)
    pods = tuple(
        replace(pod, phase="Running", ready="True", start_us=since_us, ready_transition_us=since_us)
        if pod.name in names
        else pod
        for pod in observation.pods
    )
    return replace(inputs, observation=replace(observation, pods=pods))


def _without(inputs: ReconcileInput, names: frozenset[str]) -> ReconcileInput:
    """The same inputs without these pods, and without what was measured of them."""
    observation = inputs.observation
    pods = tuple(pod for pod in observation.pods if pod.name not in names)
    metrics = tuple(_read_without(read, names) for read in observation.metrics)
    return replace(inputs, observation=replace(observation, pods=pods, metrics=metrics))


def _read_without(
    read: ResourceMetricsRead | ValuesRead | None, names: frozenset[str]
) -> ResourceMetricsRead | ValuesRead | None:
    if isinstance(read, ResourceMetricsRead) and read.samples is not None:
        return replace(read, samples=tuple(sample for sample in read.samples if sample.pod not in names))
    if isinstance(read, ValuesRead) and read.values is not None and read.request.object == "*":
        return replace(read, values=tuple(value for value in read.values if value.object not in names))
    return read


def _foreign(decision: Decision, inputs: ReconcileInput) -> dict[str, str]:
    """The owner of each pod that a metric counted although it does not belong to the target."""
    hpa = inputs.observation.hpa
    if hpa is None or hpa.spec.target.kind not in _PODS_BELONG_TO:
        return {}
    counted = {pod.pod for proposal in decision.proposals for pod in proposal.pods}
    return {
        pod.name: f"{pod.owner_kind}/{pod.owner_name}"
        for pod in inputs.observation.pods
        if pod.name in counted and pod.owner_name and not belongs(pod, hpa.spec.target)
    }


def belongs(pod: Pod, target: ObjectRef) -> bool:
    """True if a pod of a known owner is one of the target's, as the names of its ReplicaSets tell."""
    through = _PODS_BELONG_TO[target.kind]
    if not through:
        return (pod.owner_kind, pod.owner_name) == (target.kind, target.name)
    return pod.owner_kind == through and pod.owner_name.rpartition("-")[0] == target.name
