"""The recommendation held by memory, policies and bounds (`normalizeDesiredReplicas…`)."""

from dataclasses import replace

from hpaaudit.engine import limit as limits
from hpaaudit.engine import stabilize
from hpaaudit.engine.explain import chain_of
from hpaaudit.engine.outcome import Outcome, current_of, scaled_to_zero
from hpaaudit.engine.recommend import Recommended
from hpaaudit.engine.release import Rules
from hpaaudit.engine.status import with_condition
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa
from hpaaudit.model.memory import Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros

BELOW_MIN = "Current number of replicas below Spec.MinReplicas"


def normalize(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    minimum: int,
    found: Recommended,
    flags: Flags,
    rules: Rules,
) -> Outcome:
    """`normalizeDesiredReplicas…`: the recommendation held by memory, policies and bounds."""
    now_us, current, maximum = seen.decided_us, current_of(scale, rules), hpa.spec.max_replicas
    raw = max(found.replicas or 0, 0)  # a negative proposal leaves the zero that upstream starts from
    name = found.name if raw > 0 else ""
    reason = f"{name} above target" if raw > current else ("All metrics below target" if raw < current else "")
    behavior, old = hpa.spec.behavior, memory.recommendations or ()
    if behavior is None:
        held = stabilize.plain(raw, old, now_us, flags.downscale_stabilization_us)
        limited = limits.plain(held.replicas, current, minimum, maximum, own_words=rules.min_limit_says_so)
        without_memory = limits.plain(raw, current, minimum, maximum, own_words=rules.min_limit_says_so)
    else:
        held = stabilize.with_behavior(
            raw, current, old, behavior, now_us, flags.downscale_stabilization_us, envelope=rules.envelope
        )
        limited = limits.with_behavior(
            held.replicas,
            current,
            minimum,
            maximum,
            behavior,
            memory,
            now_us,
            both=rules.both_directions_count,
            min_moves=rules.min_policy_moves,
            capped=rules.replicas_capped,
        )
        without_memory = limits.with_behavior(
            raw,
            current,
            minimum,
            maximum,
            behavior,
            memory,
            now_us,
            both=rules.both_directions_count,
            min_moves=rules.min_policy_moves,
            capped=rules.replicas_capped,
        )
    conditions = _able(conditions, raw, current, held.replicas, now_us, behavior=behavior is not None)
    conditions = with_condition(
        conditions,
        "ScalingLimited",
        "False" if limited.replicas == held.replicas else "True",
        limited.reason,
        limited.message,
        now_us,
    )
    desired = limited.replicas
    if current == 0 and minimum != 0 and scaled_to_zero(hpa.status, rules) and desired < minimum:
        desired, reason = minimum, reason or BELOW_MIN
    chain = chain_of(
        [],
        found.views,
        current=current,
        raw=raw,
        held=held,
        limited=limited,
        without_memory=without_memory,
        desired=desired,
        behavior=behavior is not None,
        bounds=(minimum, maximum),
    )
    return Outcome(
        status=replace(hpa.status, conditions=conditions),
        memory=replace(memory, recommendations=held.recommendations),
        scale=scale,
        raw=raw,
        stabilized=held.replicas,
        rate_limited=limited.by_policy,
        desired=desired,
        scale_reason=reason,
        events=found.events,
        error=found.error if rules.partial_error_returned else "",
        partial_error=bool(found.error),
        proposals=found.views,
        chain=chain,
    )


def _able(
    conditions: tuple[Condition, ...], raw: int, current: int, stabilized: int, now_us: Micros, *, behavior: bool
) -> tuple[Condition, ...]:
    if stabilized == raw:
        reason, message = "ReadyForNewScale", "recommended size matches current size"
    elif behavior and raw >= current:
        reason = "ScaleUpStabilized"
        message = "recent recommendations were lower than current one, applying the lowest recent recommendation"
    else:
        reason = "ScaleDownStabilized"
        message = "recent recommendations were higher than current one, applying the highest recent recommendation"
    return with_condition(conditions, "AbleToScale", "True", reason, message, now_us)
