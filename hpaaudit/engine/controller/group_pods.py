"""Sorts pods into ready, unready, missing and ignored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Sample
from hpaaudit.engine.rules import group_pods as rules
from hpaaudit.model.flags import Flags
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros

_WHY = {
    rules.UNREADY_NO_CONDITION: "no_ready_condition",
    rules.UNREADY_INITIALIZING: "initializing",
    rules.UNREADY_OLD_SAMPLE: "sample_before_ready",
    rules.UNREADY_NEVER_READY: "never_ready",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Names by bucket, and why each pod is where it is."""

    ready: tuple[str, ...]
    unready: tuple[str, ...]
    missing: tuple[str, ...]
    ignored: tuple[str, ...]
    why: Mapping[str, str]


def group(
    pods: Sequence[Pod],
    samples: Mapping[str, Sample],
    resource: str,
    now_us: Micros,
    flags: Flags,
    *,
    pending_is_unready: bool,
    succeeded_ignored: bool,
) -> Groups:
    """The pods of one metric; readiness is looked at for `cpu` only. As `groupPods`, 1.36.

    succeeded_ignored   a Succeeded pod is over like a Failed one (1.38)
    """
    over = {"Failed": "failed", "Succeeded": "succeeded"} if succeeded_ignored else {"Failed": "failed"}
    ready: list[str] = []
    unready: list[str] = []
    missing: list[str] = []
    ignored: list[str] = []
    why: dict[str, str] = {}
    for pod in pods:
        sample = samples.get(pod.name)
        gone = pod.deleting_us is not None or pod.phase in over
        pending = pod.phase == "Pending"
        bucket = rules.classify(gone, pending, sample is not None, pending_is_unready)
        if bucket == rules.IGNORED:
            ignored.append(pod.name)
            why[pod.name] = over.get(pod.phase, "terminating")
        elif bucket == rules.UNREADY:
            unready.append(pod.name)
            why[pod.name] = "pending"
        elif bucket == rules.MISSING or sample is None:
            missing.append(pod.name)
            why[pod.name] = "no_sample"
        else:
            code = _readiness(pod, sample, now_us, flags) if resource == "cpu" else rules.READY
            (ready if code == rules.READY else unready).append(pod.name)
            why[pod.name] = _WHY.get(code, "measured")
    return Groups(ready=tuple(ready), unready=tuple(unready), missing=tuple(missing), ignored=tuple(ignored), why=why)


def _readiness(pod: Pod, sample: Sample, now_us: Micros, flags: Flags) -> int:
    return rules.classify_cpu(
        bool(pod.ready) and pod.start_us is not None,
        pod.ready == "False",
        pod.start_us or 0,
        ZERO_TIME_US if pod.ready_transition_us is None else pod.ready_transition_us,
        sample.at_us,
        sample.window_us,
        now_us,
        flags.cpu_initialization_period_us,
        flags.initial_readiness_delay_us,
    )


def running_and_ready(pods: Sequence[Pod]) -> int:
    """How many pods are Running with Ready=True; those that terminate count (`getReadyPodsCount`)."""
    return sum(1 for pod in pods if pod.phase == "Running" and pod.ready == "True")
