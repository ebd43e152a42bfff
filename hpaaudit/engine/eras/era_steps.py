"""What the control flows before 1.12 share: the steps of a decision, and the outcome without a scale."""

from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.reconcile import Unreadable
from hpaaudit.engine.controller.steps import Chain, gate_chain
from hpaaudit.engine.eras.windows import Opened
from hpaaudit.engine.rules.bounds import Bounded
from hpaaudit.engine.rules.pod_average import fitting
from hpaaudit.engine.rules.primary_reason import (
    of_forbidden_window,
    of_old_bound,
    of_proposal,
    primary_before_stabilization,
)
from hpaaudit.engine.rules.reason_codes import CODES, UNREADABLE
from hpaaudit.model.decision import PostedEvent, Step
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.memory import EMPTY


def chain_of(propose: Step, limits: Bounded, current: int, opened: Opened, *, rescales: bool) -> Chain:
    """The steps of a proposal; the last binding one is the primary reason.

    rescales   the scale is written
    """
    steps, raw = [propose], propose.after or 0
    if limits.replicas != raw:
        code = CODES[of_old_bound(limits.why)]
        steps.append(Step(stage="bound", code=code, before=raw, after=limits.replicas, binding=True))
    if limits.replicas != current and not rescales:
        steps.append(held_step(limits.replicas, current, opened))
    metric = CODES.index(propose.code)
    return Chain(tuple(steps), CODES[primary_before_stabilization(metric, raw, limits, current, rescales)])


def without_scale(hpa: Hpa, problem: Unreadable, event_type: str) -> Outcome:
    """The outcome where the scale cannot be read: one Event, and no status is written."""
    refused = problem.refused_scale
    return Outcome(
        status=hpa.status,
        memory=EMPTY,
        scale=refused,
        desired=None if refused is None else refused.spec_replicas,
        events=(PostedEvent(type=event_type, reason="FailedGetScale", message=problem.text),),
        error=problem.error,
        ends_without_status=True,
        chain=gate_chain(gate(CODES[UNREADABLE], None, (("error", problem.text),))),
    )


def held_step(wanted: int, current: int, opened: Opened) -> Step:
    """The step of a forbidden window that holds the current replicas."""
    up = wanted > current
    return Step(
        stage="stabilize",
        code=CODES[of_forbidden_window(wanted, current)],
        before=wanted,
        after=current,
        binding=True,
        detail=(
            ("scaled_us", opened.last_scale_us),
            ("window_us", opened.windows.up_us if up else opened.windows.down_us),
        ),
    )


def proposed(raw: int, current: int) -> Step:
    """The step of the metrics, for releases whose replica calculator gives no details."""
    code = CODES[of_proposal(raw, current)]
    return Step(stage="propose", code=code, before=current, after=fitting(raw), binding=raw != current)
