"""What all metrics of one reconcile share: the scale, its pods, the tolerances of the HPA, flags and behaviours."""

from dataclasses import dataclass, replace

from hpaaudit.api.client_errors import Server
from hpaaudit.api.quantity import approximate_float
from hpaaudit.api.requests import canonical_selector
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.engine.controller.observed_heapster import RESOURCES, Question
from hpaaudit.engine.controller.own_reads import OwnReads
from hpaaudit.engine.rules.current_replicas import current_replicas
from hpaaudit.engine.rules.tolerance import Tolerance, tolerance_of
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.target import Pod, Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricContext:
    """What all metrics of one reconcile share.

    pods       those that the scale's selector matches;  names   their names
    down, up   the tolerance in each direction
    keep_pods  the decision keeps how each metric counted each pod
    reads      lists of pods and answers of Heapster that the controller got; None since 1.12, which watches pods
    """

    namespace: str
    scale: Scale
    pods: tuple[Pod, ...]
    names: frozenset[str]
    down: float
    up: float
    flags: Flags
    behaviours: Behaviours
    keep_pods: bool
    reads: OwnReads | None = None

    @property
    def uses_heapster(self) -> bool:
        """Whether metrics come from Heapster (to 1.11)."""
        return self.reads is not None and uses_heapster(self.flags, self.behaviours)

    def with_listed_pods(self, prefix: str) -> "MetricContext | Problem":
        """The context with the pods that a metric lists for itself (to 1.11), or why that failed.

        prefix   how the error begins
        """
        if self.reads is None:
            return self
        pods = self.reads.pods(self.pods)
        if isinstance(pods, Problem):
            return pods.under(prefix)
        return replace(self, pods=pods, names=frozenset(pod.name for pod in pods))

    @property
    def current(self) -> int:
        """Current replicas, as `current_replicas` says."""
        return current_replicas(self.scale.spec_replicas, self.scale.status_replicas, self.behaviours)

    @property
    def server(self) -> Server:
        """The API server as the controller's errors name it."""
        return Server(self.flags.api_server, quoted=self.behaviours.quoted_urls)

    @property
    def resources_question(self) -> Question:
        """The question for the resource usage of the pods, as Heapster is asked."""
        selector = canonical_selector(self.scale.selector)
        return Question(metric=RESOURCES, pods=tuple(self.names), selector=selector)

    def values_question(self, metric: str) -> Question:
        """The question for a metric of each pod, as Heapster is asked."""
        return Question(metric=metric, pods=[pod.name for pod in self.pods], selector="")

    @property
    def tolerance(self) -> Tolerance:
        """How far a usage ratio may be from 1, as this release compares it."""
        return tolerance_of(self.down, self.up, self.behaviours)


def uses_heapster(flags: Flags, behaviours: Behaviours) -> bool:
    """Whether a controller asks Heapster for metrics: by its flag, else by its release. Since 1.12 none does."""
    if not behaviours.forbidden_windows:
        return False
    return not (behaviours.rest_clients if flags.rest_clients is None else flags.rest_clients)


def tolerances(hpa: Hpa, flags: Flags, behaviours: Behaviours) -> tuple[float, float]:
    """The tolerance on the way down and on the way up: the HPA's own (1.33), else the controller's flag.

    Upstream: `tolerancesForHpa`.
    """
    down = up = flags.tolerance
    if hpa.spec.behavior is not None and behaviours.configurable_tolerance:
        if hpa.spec.behavior.scale_down.tolerance is not None:
            down = approximate_float(hpa.spec.behavior.scale_down.tolerance)
        if hpa.spec.behavior.scale_up.tolerance is not None:
            up = approximate_float(hpa.spec.behavior.scale_up.tolerance)
    return down, up
