"""The outcome of a reconcile, from which its Decision is made."""

from collections.abc import Iterable
from dataclasses import dataclass

from hpaaudit.engine.controller.steps import Chain
from hpaaudit.model.decision import MetricProposal, PostedEvent, ScaleAttempt, Step
from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.memory import Memory
from hpaaudit.model.target import Scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a reconcile, before it becomes a Decision.

    error     the error that it returns
    is_partial_error    that error is only of a metric, and other metrics gave a proposal
    handled_errors      errors that it gave to `utilruntime.HandleError` before it returned
    handles_status_error   it does the same with the error of a failed status write
    ends_without_status    it returned before it wrote a status (to 1.6)
    """

    status: HpaStatus
    memory: Memory
    scale: Scale | None = None
    raw: int | None = None
    stabilized: int | None = None
    rate_limited: int | None = None
    unheld: int | None = None
    desired: int | None = None
    scale_reason: str = ""
    attempts: tuple[ScaleAttempt, ...] = ()
    events: tuple[PostedEvent, ...] = ()
    events_after_write: tuple[PostedEvent, ...] = ()
    error: str = ""
    is_partial_error: bool = False
    handled_errors: tuple[str, ...] = ()
    handles_status_error: bool = True
    ends_without_status: bool = False
    proposals: tuple[MetricProposal, ...] = ()
    chain: Chain


def gate(
    code: str, before: int | None, detail: Iterable[tuple[str, str | int | float | None]], after: int | None = None
) -> Step:
    """The step of a branch that decides without the metrics, or of a failure."""
    return Step(
        stage="gate",
        code=code,
        before=before,
        after=before if after is None else after,
        binding=True,
        detail=tuple(detail),
    )
