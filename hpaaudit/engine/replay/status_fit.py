"""Whether a decision fits the published status: in its inputs, and in what its memory did."""

from hpaaudit.engine.controller.metric_failure import OTHER, failure_of
from hpaaudit.engine.controller.status import condition_of, same_metrics
from hpaaudit.engine.rules import published_status
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.published_status import RESCALED, UNREAD, StatusCodes
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import HpaStatus


def fits_inputs(decision: Decision, published: HpaStatus) -> bool:
    """True if the inputs give the published currentMetrics, current replicas and ScalingActive."""
    status = decision.status
    return (
        status is not None
        and published_status.fits_inputs(*_codes(status, published))
        and same_metrics(status, published)
    )


def fits_memory(decision: Decision, published: HpaStatus) -> bool:
    """True if stabilization and limits give the published conditions."""
    status = decision.status
    return status is not None and published_status.fits_memory(*_codes(status, published))


def _codes(*statuses: HpaStatus) -> tuple[StatusCodes, ...]:
    """Statuses as codes, which are equal if status and reason of a condition are, and what failed."""
    codes = {("False", "FailedGetScale", OTHER): UNREAD, ("True", "SucceededRescale", OTHER): RESCALED}

    def code(status: HpaStatus, kind: str) -> int:
        condition = condition_of(status.conditions, kind)
        if condition is None:
            return NONE
        return codes.setdefault((condition.status, condition.reason, failure_of(condition)), RESCALED + len(codes))

    return tuple(
        StatusCodes(
            status.current_replicas,
            code(status, "AbleToScale"),
            code(status, "ScalingActive"),
            code(status, "ScalingLimited"),
        )
        for status in statuses
    )
