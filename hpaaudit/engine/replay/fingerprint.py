"""What a published status proves: which inputs the controller had, and what its memory did."""

from hpaaudit.engine.controller.status import condition_of, same_metrics
from hpaaudit.engine.rules import published_status as rules
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.published_status import RESCALED, Told
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import HpaStatus


def fits_inputs(decision: Decision, published: HpaStatus) -> bool:
    """Whether these inputs give the published currentMetrics, replicas read and state of the metrics."""
    status = decision.status
    return status is not None and rules.fits_inputs(*_told(status, published)) and same_metrics(status, published)


def fits_memory(decision: Decision, published: HpaStatus) -> bool:
    """Whether stabilization and limits held the number as the published conditions say."""
    status = decision.status
    return status is not None and rules.fits_memory(*_told(status, published))


def _told(*statuses: HpaStatus) -> tuple[Told, ...]:
    """What statuses tell, with codes that are equal where status and reason of a condition are."""
    codes = {("True", "SucceededRescale"): RESCALED}

    def code(status: HpaStatus, kind: str) -> int:
        condition = condition_of(status.conditions, kind)
        if condition is None:
            return NONE
        return codes.setdefault((condition.status, condition.reason), RESCALED + len(codes))

    return tuple(
        Told(
            status.current_replicas,
            code(status, "AbleToScale"),
            code(status, "ScalingActive"),
            code(status, "ScalingLimited"),
        )
        for status in statuses
    )
