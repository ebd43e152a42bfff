"""A case of each class that the audit claims: a world of the real controller, and what was seen of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hpaaudit.model.facts import ControllerSeen, Fact, LeaseSeen, ResourceMetricsRead
from tests.conformance.expected import capture_of
from tests.truth.produced import FOLDER, NAMED, TOLD
from tests.truth.views import HALTED, VIEWS, hung, outside

UNKNOWN_SETTINGS = "all but how the controller was started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A world in which a class is true.

    world     a capture in which the real controller told what it decided
    happened  what was done there, for the page
    shows     what is shown of it: a view by its name, or one of `OWN`
    options   of the replay
    """

    world: Path
    happened: str
    shows: str = "outside"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_halted(self) -> bool:
        """True if the controller stops in the middle."""
        return self.shows in (*HALTED, _SILENT)

    def facts(self, facts: Sequence[Fact]) -> Iterator[Fact]:
        """What is shown of these facts."""
        return (OWN.get(self.shows) or VIEWS[self.shows])(facts)


def _no_settings(facts: Sequence[Fact]) -> Iterator[Fact]:
    for fact in outside(facts):
        yield replace(fact, flags=(), gates=()) if isinstance(fact, ControllerSeen) else fact


def _no_lease(facts: Sequence[Fact]) -> Iterator[Fact]:
    return (fact for fact in hung(facts) if not isinstance(fact, LeaseSeen))


def _every_other_answer(facts: Sequence[Fact]) -> Iterator[Fact]:
    """A recorder that asks half as often as the controller."""
    reads = 0
    for fact in outside(facts):
        if isinstance(fact, ResourceMetricsRead):
            reads += 1
            if reads % 2:
                continue
        yield fact


OWN: Mapping[str, Callable[[Sequence[Fact]], Iterator[Fact]]] = {
    UNKNOWN_SETTINGS: _no_settings,
    "the controller stops in the middle, and nobody sees its Lease": _no_lease,
    "every other answer of the metrics API": _every_other_answer,
}
"""What is shown in these cases alone."""
_SILENT, _HALF = list(OWN)[1:]


def _named(name: str) -> Path:
    return NAMED / f"vector-{name}.capture.jsonl.gz"


def _told(name: str) -> Path:
    return TOLD / f"vector-{name}.capture.jsonl.gz"


def _writer(by: str) -> Case:
    return Case(world=_named("written-by-each"), happened=f"`{by}` wrote spec.replicas, and the HPA put it right")


def _refusal(answer: str) -> Case:
    return Case(world=_named("refused-in-each-way"), happened=f"the API server answered the HPA's writes with {answer}")


CASES: Mapping[str, Case] = {
    "external_write.manual": _writer("alice"),
    "external_write.gitops": _writer("argocd"),
    "external_write.deploy_tool": _writer("helm"),
    "external_write.autoscaler": _writer("keda-operator"),
    "external_write.operator": _writer("web-operator"),
    "external_write.unknown": _writer("system:node:n1"),
    "write_failed.conflict": _refusal("409"),
    "write_failed.denied": _refusal("403"),
    "write_failed.api_error": _refusal("503"),
    "write_mutated.admission": Case(
        world=FOLDER / "vector-admission-caps-every-write.capture.jsonl.gz", shows="watched",
        happened="an admission webhook stored 5 where more was asked for",
    ),
    "no_data.recording_gap": Case(
        world=_told("memory-at-maximum"), shows="no metrics", happened="nobody read the metrics",
    ),
    "no_data.warmup": Case(
        world=_told("asleep-at-zero"), shows="from the middle",
        happened="the recording begins while earlier recommendations still count",
    ),
    "no_data.object_unseen": Case(
        world=FOLDER / "vector-admission-caps-every-write.capture.jsonl.gz",
        happened="admission changed writes, and nobody watched the workload",
    ),
    "not_run.controller_down": Case(
        world=capture_of("1.36", "calm-100-0002"), shows="dead", happened="the controller ended, and no other took over"
    ),
    "not_run.controller_hung": Case(
        world=capture_of("1.36", "calm-100-0002"), shows="hung",
        happened="the controller renewed its Lease, and reconciled nothing",
    ),
    "not_run.controller_restart": Case(
        world=capture_of("1.36", "restart-100-0014"), shows="restarts by the Lease",
        happened="the controller ended, and another process took over soon after",
    ),
    "not_run.missed_reconcile": Case(
        world=capture_of("1.36", "calm-100-0002"), shows=_SILENT, happened="the HPA was not reconciled any more"
    ),
    "timing.late_reconcile": Case(
        world=capture_of("1.36", "common-100-0015"), shows="no sync period",
        happened="the sync period was 30 s, and half as long was assumed",
    ),
    "timing.sampling_skew": Case(
        world=capture_of("1.36", "restart-100-0013"), shows="HPAs seen late",
        happened="the watch of HPAs was more than a second late",
    ),
    "input.metric_value_skew": Case(
        world=_told("memory-at-maximum"), shows=_HALF, happened="the controller read samples that the recorder did not"
    ),
    "config.tolerance": Case(
        world=capture_of("1.36", "restart-100-0001"), shows=UNKNOWN_SETTINGS, happened="the tolerance was 0.2"
    ),
    "config.downscale_stabilization": Case(
        world=capture_of("1.36", "legacy-100-0007"), shows=UNKNOWN_SETTINGS,
        happened="the downscale stabilization was 60 s",
    ),
    "config.initial_readiness_delay": Case(
        world=_named("readiness-delay-of-two-minutes"), shows=UNKNOWN_SETTINGS,
        happened="the initial readiness delay was two minutes, and a pod stopped being ready a minute after its start",
    ),
    "config.cpu_initialization_period": Case(
        world=_named("cpu-initialization-of-ten-minutes"), shows=UNKNOWN_SETTINGS,
        happened="the CPU initialization period was ten minutes, and a pod had become ready within a sample's window",
    ),
    "config.upscale_delay": Case(
        world=capture_of("1.9", "people-100-0004"), shows="two other flags", happened="the upscale delay was 3 minutes"
    ),
    "config.downscale_delay": Case(
        world=capture_of("1.9", "everything-100-0004"), shows="two other flags",
        happened="the downscale delay was 5 minutes",
    ),
    "config.sync_period": Case(
        world=capture_of("1.33", "common-100-0002"), shows="no sync period", happened="the sync period was 30 s"
    ),
    "config.feature_gate": Case(
        world=_named("own-tolerance"), shows="whole", options={"behaviours": {"HPAConfigurableTolerance": False}},
        happened="the gate was on, and the replay was asked for with it off",
    ),
    "config.release": Case(
        world=capture_of("1.20", "common-100-0000"), shows="whole", options={"release": "1.11"},
        happened="the controller was 1.20, and the replay was asked for 1.11",
    ),
    "memory.controller_restart": Case(
        world=capture_of("1.36", "restart-100-0006"), shows="nothing of the controller",
        happened="the controller restarted, and nobody recorded it",
    ),
    "memory.other_lease": Case(
        world=capture_of("1.36", "slow-100-0005"), shows="a strange Lease",
        happened="the Lease was that of another program, and changed its holder",
    ),
    "unexplained": Case(
        world=capture_of("1.19", "common-100-0000"), shows="two other flags",
        happened="the recording tells other flags than the controller had, and a single reconcile shows it",
    ),
}  # fmt: skip
"""The case of each class."""
