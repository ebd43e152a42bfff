"""Says how much of each policy was used, by which scale events, and when that is free again."""

from collections.abc import Iterator
from dataclasses import replace

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.engine.rules import limit, unseen_memory
from hpaaudit.model.decision import Decision
from hpaaudit.model.flips import PolicyBudget, UsedBy
from hpaaudit.model.hpa import Hpa, ScalingPolicy
from hpaaudit.model.units import SECOND, Micros


def policy_budgets(
    decision: Decision, inputs: ReconcileInput, unseen_us: Micros | None = None
) -> Iterator[PolicyBudget]:
    """Each policy of the direction in which the HPA wanted to go; none if it wanted to stay, or has no behavior.

    unseen_us   scale events from before it are not known; None: all are
    """
    hpa, current, wanted = inputs.observation.hpa, decision.spec_replicas, decision.stabilized
    if hpa is None or hpa.spec.behavior is None or current is None or wanted is None or wanted == current:
        return
    is_up = wanted > current
    direction = hpa.spec.behavior.scale_up if is_up else hpa.spec.behavior.scale_down
    if direction.select_policy == "Disabled":
        return
    for policy in direction.policies:
        budget = _budget(policy, current, inputs, is_up=is_up)
        period_us, now_us = policy.period_seconds * SECOND, inputs.observation.decided_us
        if unseen_us is not None and unseen_memory.event_counts(unseen_us, now_us, period_us):
            budget = replace(budget, unseen_us=unseen_us, scaled_us=_told_scale(hpa, unseen_us, now_us, period_us))
        yield budget


def _told_scale(hpa: Hpa, unseen_us: Micros, now_us: Micros, period_us: int) -> Micros | None:
    """The scale event before `unseen_us` that the status tells of, if it counts. It does not tell by how many."""
    scaled_us = hpa.status.last_scale_us
    # The status tells whole seconds: a scale event of the same second may be a known one.
    if scaled_us is None or scaled_us + SECOND > unseen_us or not limit.in_period(scaled_us, now_us, period_us):
        return None
    return scaled_us


def _budget(policy: ScalingPolicy, current: int, inputs: ReconcileInput, *, is_up: bool) -> PolicyBudget:
    in_force = limit.policy_behaviours(behaviours_of(inputs.flags))
    period_us, now_us = policy.period_seconds * SECOND, inputs.observation.decided_us
    ups = inputs.memory.up if is_up or in_force.both_count else ()
    downs = inputs.memory.down if in_force.both_count or not is_up else ()
    changes = [(event.at_us, event.change) for event in ups or ()]
    changes += [(event.at_us, -event.change) for event in downs or ()]
    used_by = tuple(
        UsedBy(at_us=at_us, change=change, frees_us=Micros(at_us + period_us))
        for at_us, change in sorted(changes)
        if limit.in_period(at_us, now_us, period_us)
    )
    added = sum(used.change for used in used_by if used.change > 0)
    removed = -sum(used.change for used in used_by if used.change < 0)
    start = limit.period_start(current, added, removed)
    is_pods = policy.type == "Pods"
    if is_up:
        allowed = (
            limit.up_by_pods(start, policy.value)
            if is_pods
            else limit.up_by_percent(start, policy.value, in_force.is_capped)
        )
    else:
        allowed = limit.down_by_pods(start, policy.value) if is_pods else limit.down_by_percent(start, policy.value)
    return PolicyBudget(
        direction="up" if is_up else "down",
        type=policy.type,
        value=policy.value,
        period_seconds=policy.period_seconds,
        start=start,
        allowed=allowed,
        used_by=used_by,
    )
