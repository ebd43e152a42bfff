"""Changes that are proposed or merged upstream and in no release yet, a row each. The engine does not decide them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A proposal that would change decisions.

    name         its feature gate, where it has one
    release      the release that it is planned for, empty if nobody has said
    is_gated     it comes with a feature gate of this name, off by default in its first release
    reference    the proposal
    description  the rule that it would bring
    """

    name: str
    release: str
    is_gated: bool = False
    reference: str
    description: str


PLANNED = (
    Planned(
        name="HPAExternalMetricFallback",
        release="1.38",
        is_gated=True,
        reference="KEP-5679, #137325 (closed)",
        description="an External metric that could not be read for a while proposes its own fallback replicas",
    ),
    Planned(
        name="HPAConfigurableSyncPeriod",
        release="1.38",
        is_gated=True,
        reference="KEP-6003, #138222 (closed)",
        description="spec.syncPeriodSeconds gives an HPA its own sync period instead of the controller's flag",
    ),
    Planned(
        name="HPASelectionStrategy",
        release="",
        is_gated=True,
        reference="KEP-5325",
        description="an HPA may count only the pods that its target owns, not all that the selector matches",
    ),
    Planned(
        name="int64 totals",
        release="1.38",
        reference="#142192",
        description="totals beyond int64 no longer wrap, and a utilization beyond int32 is cut to the largest",
    ),
    Planned(
        name="int64 quantities",
        release="1.38",
        reference="#141305, #138510, #141938, #141203",
        description="a quantity beyond int64 is cut to the largest, not wrapped; a negative one rounds away from zero",
    ),
)
