"""Whether a decision fits the published status: in its inputs, and in what its memory did."""

from hpaaudit.engine.controller.metric_failure import OTHER, failure_of
from hpaaudit.engine.controller.status import condition_of, same_metrics
from hpaaudit.engine.rules import published_status
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.published_status import RESCALED, UNREAD, StatusCodes
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import HpaStatus


def fits_inputs(decision: Decision, published: HpaStatus, *, conditional: bool, before: HpaStatus | None) -> bool:
    """True if the inputs give the published currentMetrics, current replicas and ScalingActive.

    conditional   the status has conditions (1.7); before, an annotation may hold custom metrics
    before        the status that the reconcile found, where a failure leaves both the number and the annotation in it
    """
    status = decision.status
    if status is None or not same_metrics(status, published):
        return False
    if before is not None and _tells_of_failure(before, published):
        return False
    decided, shown = _codes(status, published)
    fits = published_status.fits_inputs(decided, shown, conditional=conditional, failed=bool(decision.error))
    return fits and (conditional or status.custom_metrics == published.custom_metrics)


def _tells_of_failure(before: HpaStatus, published: HpaStatus) -> bool:
    """True if a status without conditions tells of a failure: one that writes no scale wants what there is."""
    kept = before.desired_replicas, before.last_scale_us
    return (
        kept == (published.desired_replicas, published.last_scale_us)
        and published.desired_replicas != published.current_replicas
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
