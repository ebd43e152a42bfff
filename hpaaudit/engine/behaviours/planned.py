"""Changes that are proposed upstream and in no release yet, a row each. The engine does not decide them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A proposal that would change decisions.

    name         its feature gate, or the field of the API that it adds
    release      the release that it is planned for
    reference    the proposal
    description  the rule that it would bring
    """

    name: str
    release: str
    reference: str
    description: str


PLANNED = (
    Planned(
        name="HPAExternalMetricFallback",
        release="1.38",
        reference="KEP-5679, #137325 (closed)",
        description="an External metric that could not be read for a while proposes its own fallback replicas",
    ),
    Planned(
        name="syncPeriodSeconds",
        release="1.38",
        reference="KEP-6003, #138222 (closed)",
        description="an HPA may have its own sync period instead of the controller's flag",
    ),
    Planned(
        name="HPASelectionStrategy",
        release="",
        reference="KEP-5325",
        description="an HPA may count only the pods that its target owns, not all that the selector matches",
    ),
    Planned(
        name="int64 totals",
        release="1.38",
        reference="#142192, #141305, #138510, #141938, #141203",
        description="totals and quantities beyond int64 are cut to the largest, not wrapped, or rounded otherwise",
    ),
)
