"""What a published status proves: which inputs the controller had, and what its memory did."""

from hpaaudit.engine.status import condition_of, same_metrics
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import HpaStatus


def fits_inputs(decision: Decision, published: HpaStatus) -> bool:
    """Whether these inputs give the published currentMetrics, replicas read and state of the metrics.

    Only what follows from inputs alone is compared, never the decision itself.
    """
    status = decision.status
    if status is None:
        return False
    if condition_of(published.conditions, "AbleToScale") is None:
        return False  # nothing was published yet
    ours, theirs = (condition_of(s.conditions, "ScalingActive") for s in (status, published))
    return (
        status.current_replicas == published.current_replicas
        and same_metrics(status, published)
        and (None if ours is None else (ours.status, ours.reason))
        == (None if theirs is None else (theirs.status, theirs.reason))
    )


def fits_memory(decision: Decision, published: HpaStatus) -> bool:
    """Whether stabilization and limits held the number as the published conditions say."""
    status = decision.status
    if status is None:
        return False
    for kind in ("AbleToScale", "ScalingLimited"):
        ours, theirs = (condition_of(s.conditions, kind) for s in (status, published))
        if ours is None or theirs is None:
            return True
        overwritten = "SucceededRescale" in (ours.reason, theirs.reason)
        if not overwritten and (ours.status, ours.reason) != (theirs.status, theirs.reason):
            return False
    return True
