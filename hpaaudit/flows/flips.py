"""Finds the nearest changes of a reconcile's inputs that change its decision.

Nothing here computes what the controller would decide. The rules say where the tolerance ends, a search proposes a
change, and the engine decides the reconcile again with it. A flip is named only if the engine decides otherwise with
the change, and as before with the next smaller one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.metric_context import tolerances
from hpaaudit.engine.eras.annotation_specs import labels_of
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.engine.rules.tolerance import Tolerance, tolerance_of, within
from hpaaudit.flows.desired import desired_of, nearest_change
from hpaaudit.flows.load_flips import load_flips
from hpaaudit.flows.pod_flips import pod_flips
from hpaaudit.flows.time_flips import time_flips
from hpaaudit.model.decision import Decision, MetricProposal
from hpaaudit.model.facts import ResourceMetricsRead
from hpaaudit.model.flips import Flip, MemoryFlip, UtilizationFlip
from hpaaudit.model.metrics import ContainerUsage, PodSample
from hpaaudit.model.units import Micros, Milli

FULL_PERCENT = 100

MOST_PERCENT = 100_000
"""No higher utilization is tried."""

TOLERANCE_HOLD = "tolerance.hold"
HELD_BY_METRIC = (TOLERANCE_HOLD, "metric.on_target")
HELD_BY_MEMORY = ("stabilize.down_hold", "stabilize.up_hold", "stabilize.down_partial", "stabilize.up_partial")
"""Reasons whose nearest flip is looked for."""


def all_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[Flip]:
    """The nearest flips in every direction, of a decision that was made from these inputs, with `keep_pods`.

    Where the utilization is named at which a metric no longer holds the number, the load is not named as well.
    """
    if decision.desired is None or desired_of(inputs) != decision.desired:
        return
    first = nearest_flips(decision, inputs)
    yield from first
    yield from pod_flips(decision, inputs)
    if not any(isinstance(flip, UtilizationFlip) for flip in first):
        yield from load_flips(decision, inputs)
    if not any(isinstance(flip, MemoryFlip) for flip in first):
        yield from time_flips(decision, inputs)


def nearest_flips(decision: Decision, inputs: ReconcileInput) -> tuple[UtilizationFlip | MemoryFlip, ...]:
    """The nearest flips of what held a number.

    A metric that held it names the utilization above and below at which it no longer does. A memory that held it names
    the recommendation that leaves the window first.
    """
    if decision.reason_code in HELD_BY_MEMORY:
        return tuple(_memory_flips(decision, inputs))
    if decision.reason_code in HELD_BY_METRIC:
        return tuple(_utilization_flips(decision, inputs))
    return ()


def desired_without_tolerance(inputs: ReconcileInput) -> int | None:
    """The number that the same inputs lead to without a tolerance.

    The tolerance kept nothing if that is the same number: a ratio just below 1 asks for no fewer pods than there are.
    """
    observation = inputs.observation
    if observation.hpa is None:
        return None
    behavior = observation.hpa.spec.behavior
    if behavior is not None:
        up, down = replace(behavior.scale_up, tolerance=None), replace(behavior.scale_down, tolerance=None)
        behavior = replace(behavior, scale_up=up, scale_down=down)
    hpa = replace(observation.hpa, spec=replace(observation.hpa.spec, behavior=behavior))
    flags = replace(inputs.flags, tolerance=0.0)
    return desired_of(replace(inputs, observation=replace(observation, hpa=hpa), flags=flags))


@dataclass(frozen=True, slots=True, kw_only=True)
class _MeasuredPods:
    """The pods whose usage makes up the utilization of a metric, and what they request together."""

    metric_idx: int
    resource: str
    names: tuple[str, ...]
    usage_milli: int
    requests_milli: int


def _utilization_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[UtilizationFlip]:
    proposal = next((proposal for proposal in decision.proposals if proposal.is_winner), None)
    pods = None if proposal is None else _measured_pods(proposal)
    hpa = inputs.observation.hpa
    if proposal is None or pods is None or not proposal.target or hpa is None:
        return
    behaviours = behaviours_of(inputs.flags)
    tolerance = tolerance_of(*tolerances(hpa, inputs.flags, behaviours), behaviours)

    def desired_at(usage_milli: int) -> int | None:
        return desired_of(_with_usage(inputs, pods, usage_milli))

    if desired_at(pods.usage_milli) != decision.desired:
        return  # the decision does not depend on the total usage alone
    for upwards in (True, False):
        edge = _edge_of_tolerance(proposal.target, tolerance, pods, upwards=upwards)
        limit = _least_usage(MOST_PERCENT, pods) if upwards else 0
        usage_milli = None if edge is None else _first_change(desired_at, decision.desired, edge, limit)
        desired = None if usage_milli is None else desired_at(usage_milli)
        if usage_milli is not None and desired is not None:
            percent = usage_milli * FULL_PERCENT // pods.requests_milli
            label = labels_of(hpa, behaviours)[proposal.metric_idx]
            yield UtilizationFlip(metric=label, utilization_percent=percent, desired=desired)


def _measured_pods(proposal: MetricProposal) -> _MeasuredPods | None:
    """The pods of a utilization; None if any pod was not measured, for then the total usage alone does not decide."""
    if proposal.target_type != "Utilization" or proposal.adjust_code != "adjust.none":
        return None
    if proposal.unready_pods or proposal.missing_pods or proposal.ignored_pods:
        return None
    values, requests = [pod.value for pod in proposal.pods], [pod.request for pod in proposal.pods]
    if not proposal.pods or None in values or None in requests or not sum(filter(None, requests)):
        return None
    return _MeasuredPods(
        metric_idx=proposal.metric_idx,
        resource=proposal.metric_name,
        names=tuple(pod.pod for pod in proposal.pods),
        usage_milli=sum(filter(None, values)),
        requests_milli=sum(filter(None, requests)),
    )


def _least_usage(percent: int, pods: _MeasuredPods) -> int:
    """The least usage that is this percentage of the requests."""
    return -(-percent * pods.requests_milli // FULL_PERCENT)


def _edge_of_tolerance(target: int, tolerance: Tolerance, pods: _MeasuredPods, *, upwards: bool) -> int | None:
    """The usage nearest to the target that is outside the tolerance; None if no usage on that side is."""
    for percent in range(target, MOST_PERCENT) if upwards else range(target, -1, -1):
        if not within(percent / target, tolerance):
            return _least_usage(percent, pods) if upwards else _least_usage(percent + 1, pods) - 1
    return None


def _first_change(desired_at: Callable[[int], int | None], before: int | None, edge: int, limit: int) -> int | None:
    """The usage nearest to the tolerance at which another number is decided; None if there is none up to the limit.

    Inside the tolerance the metric holds. From its edge on the decided number moves in one direction only, with the
    usage. So if it has not changed at the edge yet, the change lies between there and the limit, and halving finds it.
    """
    step = 1 if limit > edge else -1
    if desired_at(edge) != before:
        return edge if desired_at(edge - step) == before else None
    if desired_at(limit) == before:
        return None
    return nearest_change(desired_at, before, edge, limit)


def _with_usage(inputs: ReconcileInput, pods: _MeasuredPods, usage_milli: int) -> ReconcileInput:
    """The same inputs, but with this total usage, spread evenly over the measured pods."""
    observation = inputs.observation
    hpa, read = observation.hpa, observation.metrics[pods.metric_idx]
    if hpa is None or not isinstance(read, ResourceMetricsRead) or read.samples is None:
        return inputs
    container = hpa.spec.metrics[pods.metric_idx].container
    each, rest = divmod(usage_milli, len(pods.names))
    usage_by_pod = {name: Milli(each + (index < rest)) for index, name in enumerate(pods.names)}
    samples = tuple(
        _with_sample_usage(sample, pods.resource, container, usage_by_pod[sample.pod])
        if sample.pod in usage_by_pod
        else sample
        for sample in read.samples
    )
    # Another metric of the HPA may read the same answer: it changes there too.
    changed = replace(read, samples=samples)
    metrics = tuple(changed if other is read or other == read else other for other in observation.metrics)
    return replace(inputs, observation=replace(observation, metrics=metrics))


def _with_sample_usage(sample: PodSample, resource: str, container: str, usage_milli: Milli) -> PodSample:
    """The same sample, but its first container that counts has all of this usage, and the others have none."""
    rest = usage_milli
    containers = []
    for measured in sample.containers:
        usage = measured.usage
        if (not container or measured.name == container) and resource in dict(usage):
            usage = tuple((name, rest if name == resource else used) for name, used in usage)
            rest = Milli(0)
        containers.append(ContainerUsage(name=measured.name, usage=usage))
    return replace(sample, containers=tuple(containers))


def _memory_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[MemoryFlip]:
    """The first recommendation that changes the number when it leaves the window."""
    window_us = next(
        (dict(step.detail).get("window_us") for step in decision.steps if step.code == decision.reason_code), None
    )
    if not isinstance(window_us, int):
        return

    def desired_at(now_us: int) -> int | None:
        return desired_of(replace(inputs, observation=replace(inputs.observation, decided_us=Micros(now_us))))

    for recommendation in sorted(inputs.memory.recommendations or (), key=lambda remembered: remembered.at_us):
        # With a behavior a recommendation exactly as old as the window has left it; without one it still counts.
        for leaves_us in (recommendation.at_us + window_us, recommendation.at_us + window_us + 1):
            if leaves_us <= inputs.observation.decided_us:
                continue
            desired = desired_at(leaves_us)
            if desired is None or desired == decision.desired:
                continue
            if desired_at(leaves_us - 1) == decision.desired:
                yield MemoryFlip(recommended_us=recommendation.at_us, leaves_us=Micros(leaves_us), desired=desired)
            return  # otherwise something else changed the number earlier, for example a policy
