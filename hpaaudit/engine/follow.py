"""Memory follows reality: what the controller said that it did counts, not what we would have done."""

from dataclasses import replace

from hpaaudit.engine.remember import remember_scale
from hpaaudit.engine.rules.published import KEPT, UNDONE, followed, is_unbent
from hpaaudit.engine.status import condition_of
from hpaaudit.model.decision import Decision
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.memory import Memory, Recommendation
from hpaaudit.model.units import Micros


def follow(before: Memory, after: Memory, decision: Decision, hpa: Hpa, published: HpaStatus) -> Memory:
    """The memory after a pass, corrected by the status that was published after it."""
    after = _recommended(after, decision, published)
    current, desired = decision.spec_replicas, decision.desired
    if current is None or desired is None:
        return after
    scaled = published.last_scale_us is not None and published.last_scale_us != hpa.status.last_scale_us
    told = followed(
        scaled,
        published.desired_replicas,
        published.current_replicas,
        desired,
        current,
        decision.action != "hold",
    )
    if told == KEPT:
        return after
    undone = replace(after, up=before.up, down=before.down)
    if told == UNDONE:
        return undone
    now_us = Micros(decision.at_us)
    return remember_scale(undone, hpa.spec.behavior, current, published.desired_replicas, now_us)


def unbent(published: HpaStatus) -> bool:
    """Whether the conditions say that nothing bent the recommendation."""
    able, active, limited = (
        condition_of(published.conditions, kind) for kind in ("AbleToScale", "ScalingActive", "ScalingLimited")
    )
    return is_unbent(
        active is not None and active.status == "False",
        able is not None and able.reason == "ReadyForNewScale",
        limited is not None and limited.reason == "DesiredWithinRange",
        active is not None,
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
