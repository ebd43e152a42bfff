"""Corrects our memory by the published status: the controller's decision counts, not ours."""

from dataclasses import replace

from hpaaudit.engine.controller.remember import remember_scale
from hpaaudit.engine.controller.status import condition_of
from hpaaudit.engine.rules.published_status import (
    EVENT_KEPT,
    EVENT_UNDONE,
    NEVER,
    RECOMMENDATION_PUBLISHED,
    recommendation_shown,
    scale_event_outcome,
    shows_scale,
)
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus
from hpaaudit.model.memory import Memory, Recommendation
from hpaaudit.model.units import Micros


def corrected(before: Memory, after: Memory, decision: Decision, hpa: Hpa, published: HpaStatus) -> Memory:
    """The memory after a reconcile, corrected by the status that was published after it."""
    after = _recommended(after, decision, published)
    current, desired = decision.spec_replicas, decision.desired
    if current is None or desired is None:
        return after
    scaled = shows_scale(_scaled_us(published), _scaled_us(hpa.status))
    fate = scale_event_outcome(scaled, published.desired_replicas, published.current_replicas, desired, current)
    if fate == EVENT_KEPT:
        return after
    undone = replace(after, up=before.up, down=before.down)
    if fate == EVENT_UNDONE:
        return undone
    now_us = Micros(decision.at_us)
    return remember_scale(undone, hpa.spec.behavior, current, published.desired_replicas, now_us)


def recommendation_in(conditions: tuple[Condition, ...]) -> int:
    """What the conditions say about the recommendation, a code of `rules.published_status`."""
    able, active, limited = (
        condition_of(conditions, kind) for kind in ("AbleToScale", "ScalingActive", "ScalingLimited")
    )
    return recommendation_shown(
        active is not None and active.status == "False",
        able is not None and able.reason == "ReadyForNewScale",
        limited is not None and limited.reason == "DesiredWithinRange",
        active is not None,
    )


def _scaled_us(status: HpaStatus) -> int:
    return NEVER if status.last_scale_us is None else status.last_scale_us


def _recommended(after: Memory, decision: Decision, published: HpaStatus) -> Memory:
    """The memory with the published number as the recommendation, if that was neither stabilized nor limited.

    Where our own reads failed and the controller's did not, we made none.
    """
    if decision.raw_desired == published.desired_replicas or after.recommendations is None:
        return after
    if recommendation_in(published.conditions) != RECOMMENDATION_PUBLISHED:
        return after
    if decision.raw_desired is None:
        missed = Recommendation(replicas=published.desired_replicas, at_us=Micros(decision.at_us))
        return replace(after, recommendations=(*after.recommendations, missed))
    # The last of its time: the first reconcile of a process remembers the replicas that it found just before.
    entries = list(after.recommendations)
    own = next((slot for slot in reversed(range(len(entries))) if entries[slot].at_us == decision.at_us), None)
    if own is None:
        return after
    entries[own] = Recommendation(replicas=published.desired_replicas, at_us=Micros(decision.at_us))
    return replace(after, recommendations=tuple(entries))
