"""Observations as facts: what a recording of these reconciles would hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from hpaaudit.api.encode import status_json
from hpaaudit.api.to_facts import canonical_json
from hpaaudit.engine.replay.plan import Plan, plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.facts import ControllerSeen, Ended, Fact, HpaSeen, PodGone, PodSeen, Reconciled
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricTarget, ScalingRules
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import Micros, Quantity

if TYPE_CHECKING:
    from hpaaudit.model.target import Pod

T = TypeVar("T")
CONTROLLER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
_LENGTHS = {"window_us", "took_us"}


def facts_of_observations(observations: Iterable[Observation]) -> list[Fact]:
    """The facts of some reconciles: what changed before each, then its own line."""
    facts_read: list[Fact] = []
    pods_before: dict[str, Pod] = {}
    for observation in observations:
        if observation.hpa is None:
            raise AssertionError("only existing HPAs can be recorded")
        facts_read.append(hpa_seen(observation.at_us, observation.hpa))
        here = {pod.name: pod for pod in observation.pods}
        facts_read += [
            PodGone(at_us=observation.at_us, namespace=observation.namespace, name=name, uid=pods_before[name].uid)
            for name in sorted(pods_before.keys() - here.keys())
        ]
        facts_read += [
            PodSeen(at_us=observation.at_us, pod=pod) for pod in observation.pods if pods_before.get(pod.name) != pod
        ]
        pods_before = here
        facts_read += [replace(read, by=CONTROLLER) for read in observation.scale_reads]
        facts_read += [replace(read, by=CONTROLLER) for read in observation.metrics if read is not None]
        facts_read.append(
            Reconciled(
                at_us=observation.at_us,
                namespace=observation.namespace,
                name=observation.name,
                began_us=observation.began_us,
            )
        )
    return [*facts_read, Ended(at_us=facts_read[-1].at_us)]


def hpa_seen(at_us: Micros, hpa: Hpa) -> HpaSeen:
    """An HPA as the API would show it."""
    return HpaSeen(
        at_us=at_us,
        namespace=hpa.namespace,
        name=hpa.name,
        uid=hpa.uid,
        api_version="autoscaling/v2",
        resource_version=hpa.resource_version,
        generation=hpa.generation,
        created_us=None,
        spec_json=canonical_json(_spec(hpa)),
        status_json=status_json(hpa.status),
    )


def _spec(hpa: Hpa) -> dict[str, Any]:
    spec = hpa.spec
    shown: dict[str, Any] = {
        "scaleTargetRef": {"apiVersion": spec.target.api_version, "kind": spec.target.kind, "name": spec.target.name},
        "minReplicas": spec.min_replicas,
        "maxReplicas": spec.max_replicas,
        "metrics": [_metric(metric) for metric in spec.metrics],
    }
    if spec.behavior is not None:
        shown["behavior"] = {
            "scaleUp": _rules(spec.behavior.scale_up),
            "scaleDown": _rules(spec.behavior.scale_down),
        }
    return shown


def _text(quantity: Quantity | None) -> str | None:
    return None if quantity is None else quantity.text


def _target(target: MetricTarget | None) -> dict[str, Any]:
    if target is None:
        raise AssertionError("every drawn metric has a target")
    return {
        "type": target.type,
        "value": _text(target.value),
        "averageValue": _text(target.average_value),
        "averageUtilization": target.average_utilization,
    }


def _metric(metric: MetricSpec) -> dict[str, Any]:
    source: dict[str, Any] = {"target": _target(metric.target)}
    if metric.type in ("Resource", "ContainerResource"):
        source |= {"name": metric.name, "container": metric.container}
    else:
        selector = None if metric.selector is None else {"matchLabels": dict(metric.selector.match_labels)}
        source["metric"] = {"name": metric.name, "selector": selector}
    if metric.described is not None:
        described = metric.described
        source["describedObject"] = {
            "kind": described.kind,
            "name": described.name,
            "apiVersion": described.api_version,
        }
    return {"type": metric.type, metric.type[0].lower() + metric.type[1:]: source}


def _rules(rules: ScalingRules) -> dict[str, Any]:
    return {
        "stabilizationWindowSeconds": rules.stabilization_window_seconds,
        "selectPolicy": rules.select_policy,
        "policies": [
            {"type": policy.type, "value": policy.value, "periodSeconds": policy.period_seconds}
            for policy in rules.policies
        ],
        "tolerance": _text(rules.tolerance),
    }


def process_of(laid_out: Plan, flags: Flags) -> Process:
    """Start a process that replays a plan."""
    return Process(laid_out, flags, _Always(flags), keep_pods=False)


@dataclass(frozen=True, slots=True)
class _Always:
    """Gives every controller process the same flags."""

    flags: Flags

    def __call__(self, _: ControllerSeen) -> Flags:
        return self.flags


def replayed(facts: Sequence[Fact], flags: Flags) -> list[ReplayedReconcile]:
    """Replay facts whole."""
    laid_out = plan(facts, None)
    return list(replay(facts, laid_out, process_of(laid_out, flags), ()))


def moved(value: T, delta_us: int) -> T:
    """Move every instant in a value of the model; lengths of time stay."""
    if isinstance(value, tuple) and len(value) == 2 and str(value[0]).endswith("_us") and value[0] not in _LENGTHS:
        return (value[0], value[1] + delta_us)  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(moved(item, delta_us) for item in value)  # type: ignore[return-value]
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if field.name.endswith("_us") and field.name not in _LENGTHS:
            changes[field.name] = (
                None if old is None else tuple(x + delta_us for x in old) if isinstance(old, tuple) else old + delta_us
            )
        else:
            changes[field.name] = moved(old, delta_us)
    return replace(value, **changes)
