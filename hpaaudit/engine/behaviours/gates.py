"""The feature gates that change a decision, and what of an HPA proves that the API server has one on."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpaaudit.model.history import KnownBy
from hpaaudit.model.hpa import HpaSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A feature gate that changes a decision.

    rule         the behaviour that it switches
    since        the first release whose controller asks it;  on   the first release in which it is on by default
    locked       the first release in which it cannot be switched off, empty while it can
    description  the rule that holds while it is on
    """

    name: str
    rule: str
    since: str
    on: str
    locked: str = ""
    reference: str
    known_by: KnownBy = KnownBy.EXECUTED
    description: str


GATES = (
    Gate(
        name="HPAContainerMetrics",
        rule="ContainerMetrics",
        since="1.27",
        on="1.27",
        locked="1.30",
        reference="KEP-1610, #116043",
        description="metrics of type ContainerResource are computed; while it is off they are invalid",
    ),
    Gate(
        name="HPAScaleToZero",
        rule="ScaleToZero",
        since="1.36",
        on="1.37",
        reference="KEP-2021; before 1.36 only the API server asks it",
        description="an HPA may have minReplicas 0, with an Object or External metric",
    ),
    Gate(
        name="HPAConfigurableTolerance",
        rule="ConfigurableTolerance",
        since="1.33",
        on="1.35",
        locked="1.37",
        reference="KEP-4951, #140107",
        description="each direction of a behavior may have its own tolerance",
    ),
    Gate(
        name="PodLevelResources",
        rule="PodLevelResources",
        since="1.34",
        on="1.34",
        reference="KEP-2837, #132430",
        description="a utilization is of the request of the whole pod, where the pod has one",
    ),
    Gate(
        name="StaleControllerConsistencyHPA",
        rule="StaleCacheSkips",
        since="1.37",
        on="1.37",
        reference="#139025",
        description="a reconcile is skipped while the cache is older than the controller's own last write",
    ),
    Gate(
        name="HPAGeneration",
        rule="Generation",
        since="1.37",
        on="1.37",
        locked="1.38",
        reference="#138228; #142386: GA in 1.38-alpha.2",
        description="status.observedGeneration is written, and a change of the spec is reconciled at once",
    ),
)


def gates_of_stored(spec: HpaSpec) -> Iterator[str]:
    """The gates without which an API server stores no such spec.

    Upstream: `ValidateHorizontalPodAutoscalerSpec` refuses minReplicas 0, and `dropDisabledFields` removes a tolerance.
    """
    if spec.min_replicas == 0:
        yield "HPAScaleToZero"
    rules = (spec.behavior.scale_up, spec.behavior.scale_down) if spec.behavior else ()
    if any(direction.tolerance is not None for direction in rules):
        yield "HPAConfigurableTolerance"
