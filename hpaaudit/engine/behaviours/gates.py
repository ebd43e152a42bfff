"""The feature gates that change a decision."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A feature gate that changes a decision.

    rule    the behaviour that it switches
    since   the first release whose controller asks it;  on   the first release in which it is on by default
    locked  the first release in which it cannot be switched off, empty while it can
    """

    name: str
    rule: str
    since: str
    on: str
    locked: str = ""
    reference: str


GATES = (
    Gate(
        name="HPAContainerMetrics",
        rule="ContainerMetrics",
        since="1.27",
        on="1.27",
        locked="1.30",
        reference="KEP-1610, #116043",
    ),
    Gate(
        name="HPAScaleToZero",
        rule="ScaleToZero",
        since="1.36",
        on="1.37",
        reference="KEP-2021; before 1.36 only the API server asks it",
    ),
    Gate(
        name="HPAConfigurableTolerance",
        rule="ConfigurableTolerance",
        since="1.33",
        on="1.35",
        locked="1.37",
        reference="KEP-4951, #140107",
    ),
    Gate(
        name="PodLevelResources",
        rule="PodLevelResources",
        since="1.34",
        on="1.34",
        reference="KEP-2837, #132430",
    ),
    Gate(
        name="StaleControllerConsistencyHPA",
        rule="StaleCacheSkips",
        since="1.37",
        on="1.37",
        reference="#139025: a cache older than the controller's own last write is not acted on",
    ),
    Gate(
        name="HPAGeneration",
        rule="Generation",
        since="1.37",
        on="1.37",
        locked="1.38",
        reference="#138228; #142386: GA in 1.38-alpha.2",
    ),
)
