"""Memory follows reality: what the controller said that it did counts, not what we would have done."""

from dataclasses import replace

from hpaaudit.engine.remember import remember_scale
from hpaaudit.engine.status import condition_of
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.memory import Memory, Recommendation
from hpaaudit.model.units import Micros


def follow(before: Memory, after: Memory, decision: Decision, hpa: Hpa, published: HpaStatus) -> Memory:
    """The memory after a pass, corrected by the status that was published after it."""
    after = _recommended(after, decision, published)
    scaled = published.last_scale_us is not None and published.last_scale_us != hpa.status.last_scale_us
    current = decision.spec_replicas
    if current is None:
        return after
    if scaled and published.desired_replicas != decision.desired:
        undone = replace(after, up=before.up, down=before.down)
        now_us = Micros(decision.at_us)
        return remember_scale(undone, hpa.spec.behavior, current, published.desired_replicas, now_us)
    if not scaled and decision.action != "hold" and published.current_replicas == current:
        return replace(after, up=before.up, down=before.down)
    return after


def unbent(published: HpaStatus) -> bool:
    """Whether the conditions say that nothing bent the recommendation: then it is the published number.

    A failed computation recommends nothing, which is known as well.
    """
    able = condition_of(published.conditions, "AbleToScale")
    limited = condition_of(published.conditions, "ScalingLimited")
    active = condition_of(published.conditions, "ScalingActive")
    if active is not None and active.status == "False":
        return True
    return (
        able is not None
        and able.reason == "ReadyForNewScale"
        and limited is not None
        and limited.reason == "DesiredWithinRange"
        and active is not None
    )


def _recommended(after: Memory, decision: Decision, published: HpaStatus) -> Memory:
    """Where nothing bent the recommendation, it is the published number."""
    if not unbent(published) or decision.raw_desired in (None, published.desired_replicas):
        return after
    active = condition_of(published.conditions, "ScalingActive")
    if after.recommendations is None or active is None or active.status == "False":
        return after
    corrected = tuple(
        Recommendation(replicas=published.desired_replicas, at_us=old.at_us) if old.at_us == decision.at_us else old
        for old in after.recommendations
    )
    return replace(after, recommendations=corrected)
