"""Groups pods into ready, unready, missing and ignored, with the reason for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Sample
from hpaaudit.engine.rules import group_pods as rules
from hpaaudit.model.flags import Flags
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros

_WHY_UNREADY = {
    rules.UNREADY_NO_CONDITION: "no_ready_condition",
    rules.UNREADY_INITIALIZING: "initializing",
    rules.UNREADY_OLD_SAMPLE: "sample_before_ready",
    rules.UNREADY_NEVER_READY: "never_ready",
}
_WHY_NOT_READY = {"Pending": "pending", "Failed": "failed", "Succeeded": "succeeded"}
_WHY_BY_READINESS = {rules.READY: "measured", rules.MISSING: "no_sample"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroups:
    """The names of the pods in each group, and why each pod is in its group."""

    ready: tuple[str, ...]
    unready: tuple[str, ...]
    missing: tuple[str, ...]
    ignored: tuple[str, ...]
    why: Mapping[str, str]


def group_pods(
    pods: Sequence[Pod],
    samples: Mapping[str, Sample],
    resource: str,
    now_us: Micros,
    flags: Flags,
    behaviours: Behaviours,
) -> PodGroups:
    """The pods of one metric. Readiness is asked only for the resource `cpu`. Upstream: `groupPods`."""
    ended = {"Failed": "failed", "Succeeded": "succeeded"} if behaviours.succeeded_ignored else {"Failed": "failed"}
    names: dict[int, list[str]] = {rules.READY: [], rules.UNREADY: [], rules.MISSING: [], rules.IGNORED: []}
    why: dict[str, str] = {}
    for pod in pods:
        sample = samples.get(pod.name)
        is_ignored = pod.deleting_us is not None or pod.phase in ended
        bucket = rules.group(is_ignored, pod.phase == "Pending", sample is not None, behaviours.pending_is_unready)
        if bucket == rules.IGNORED:
            why[pod.name] = ended.get(pod.phase, "terminating")
        elif bucket == rules.UNREADY:
            why[pod.name] = "pending"
        elif sample is None:
            why[pod.name] = "no_sample"
        else:
            readiness = _readiness(pod, sample, now_us, flags) if resource == "cpu" else rules.READY
            bucket = rules.READY if readiness == rules.READY else rules.UNREADY
            why[pod.name] = _WHY_UNREADY.get(readiness, "measured")
        names[bucket].append(pod.name)
    return _groups(names, why)


def group_by_readiness(pods: Sequence[Pod], samples: Mapping[str, Sample], *, skips_failed: bool) -> PodGroups:
    """The pods as 1.5 to 1.11 group them: a pod that is not Running and Ready now is unready, for every metric.

    skips_failed   a failed pod is ignored (1.10, #60648, utilizations only); before, it was unready, and held a rise
    """
    names: dict[int, list[str]] = {rules.READY: [], rules.UNREADY: [], rules.MISSING: [], rules.IGNORED: []}
    why: dict[str, str] = {}
    for pod in pods:
        is_ready, has_failed = pod.phase == "Running" and pod.ready == "True", pod.phase == "Failed"
        bucket = rules.group_by_readiness(is_ready, has_failed, pod.name in samples, skips_failed)
        unready = _WHY_NOT_READY.get(pod.phase, "not_ready")
        why[pod.name] = _WHY_BY_READINESS.get(bucket, unready)
        names[bucket].append(pod.name)
    return _groups(names, why)


def _groups(names: Mapping[int, Sequence[str]], why: Mapping[str, str]) -> PodGroups:
    return PodGroups(
        ready=tuple(names[rules.READY]),
        unready=tuple(names[rules.UNREADY]),
        missing=tuple(names[rules.MISSING]),
        ignored=tuple(names[rules.IGNORED]),
        why=why,
    )


def _readiness(pod: Pod, sample: Sample, now_us: Micros, flags: Flags) -> int:
    """READY, or why a pod with a CPU sample is unready."""
    readiness = rules.Readiness(
        bool(pod.ready) and pod.start_us is not None,
        pod.ready == "False",
        pod.start_us or 0,
        ZERO_TIME_US if pod.ready_transition_us is None else pod.ready_transition_us,
    )
    sampled = rules.Sampled(sample.at_us, sample.window_us)
    periods = rules.ReadinessPeriods(flags.cpu_initialization_period_us, flags.initial_readiness_delay_us)
    return rules.group_cpu(readiness, sampled, now_us, periods)


def running_and_ready(pods: Sequence[Pod]) -> int:
    """How many pods are Running with Ready=True. Terminating pods count. Upstream: `getReadyPodsCount`."""
    return sum(1 for pod in pods if pod.phase == "Running" and pod.ready == "True")
