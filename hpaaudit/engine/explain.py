"""The chain of a decision: which step moved the number, and which one is the reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hpaaudit.engine.limit import Limited
from hpaaudit.engine.stabilize import Stabilized
from hpaaudit.model.decision import MetricProposal, Step

_REASON_STAGES = ("gate", "stabilize", "policy", "bound")


@dataclass(frozen=True, slots=True)
class Chain:
    """The steps in order, and the primary reason: the last binding step, else the winner's metric code."""

    steps: tuple[Step, ...]
    reason_code: str

    def written(self, before: int, after: int, retries: int) -> "Chain":
        """The chain with the write at its end."""
        code = "act.write_conflict_retried" if retries else f"act.scale_{'up' if after > before else 'down'}"
        step = Step(stage="write", code=code, before=before, after=after, binding=False, detail=(("retries", retries),))
        return replace(self, steps=(*self.steps, step))

    def failed(self, desired: int, current: int, error: str) -> "Chain":
        """The chain with a write that was refused."""
        step = Step(
            stage="write",
            code="act.write_failed",
            before=desired,
            after=current,
            binding=True,
            detail=(("error", error),),
        )
        return Chain((*self.steps, step), "act.write_failed")


def chain_of(
    gates: Sequence[Step],
    views: Sequence[MetricProposal] = (),
    *,
    current: int = 0,
    raw: int | None = None,
    held: Stabilized | None = None,
    limited: Limited | None = None,
    without_memory: Limited | None = None,
    desired: int = 0,
    behavior: bool = False,
    bounds: tuple[int, int] = (0, 0),
) -> Chain:
    """The chain from a gate, or from the metrics through stabilization, policies and bounds.

    A step is binding if the outcome would be another without it alone.
    """
    if held is None or limited is None or without_memory is None or raw is None:
        return Chain(tuple(gates), gates[-1].code if gates else "")
    winner = next((view for view in views if view.is_winner), None)
    metric_code = _metric_code(winner, current)
    steps = [
        Step(
            stage="propose",
            code=metric_code,
            before=current,
            after=raw,
            binding=raw != current,
            detail=(("metric", winner.metric_name if winner else None), ("ratio", winner.ratio if winner else None)),
        )
    ]
    if held.replicas != raw:
        steps.append(
            Step(
                stage="stabilize",
                code=_stabilize_code(raw, current, held.replicas, behavior=behavior),
                before=raw,
                after=held.replicas,
                binding=without_memory.replicas != limited.replicas,
                detail=(
                    ("recommendation", held.decisive.replicas if held.decisive else None),
                    ("recommended_us", held.decisive.at_us if held.decisive else None),
                    ("window_us", held.window_us),
                ),
            )
        )
    if limited.by_policy != held.replicas:
        steps.append(
            Step(
                stage="policy",
                code=_policy_code(held.replicas, current, limited, behavior=behavior),
                before=held.replicas,
                after=limited.by_policy,
                binding=limited.by_bounds != limited.replicas,
                detail=(("limit", limited.limit),),
            )
        )
    if limited.replicas != limited.by_policy:
        low = limited.replicas > limited.by_policy
        steps.append(
            Step(
                stage="bound",
                code="bound.min" if low else "bound.max",
                before=limited.by_policy,
                after=limited.replicas,
                binding=True,
                detail=(("min", bounds[0]), ("max", bounds[1])),
            )
        )
    if desired != limited.replicas:
        steps.append(Step(stage="bound", code="bound.min", before=limited.replicas, after=desired, binding=True))
    binding = [step for step in steps if step.binding and step.stage in _REASON_STAGES]
    if not binding and desired != raw:
        # Two limits that coincide: the first that reached the final number is the reason.
        binding = [step for step in steps if step.stage in _REASON_STAGES and step.after == desired][:1]
    return Chain(tuple(steps), binding[-1].code if binding else metric_code)


def _metric_code(winner: MetricProposal | None, current: int) -> str:
    if winner is None or winner.ratio is None or winner.tolerance is None:
        return "metric.on_target"
    if winner.adjust_code in ("adjust.damped_into_tolerance", "adjust.direction_flip_hold", "adjust.count_flip_hold"):
        return winner.adjust_code
    if winner.proposal == current and 1.0 - winner.tolerance <= winner.ratio <= 1.0 + winner.tolerance:
        return "metric.on_target" if winner.ratio == 1.0 else "tolerance.hold"
    return "metric.above_target" if winner.ratio > 1.0 else "metric.below_target"


def _stabilize_code(raw: int, current: int, stabilized: int, *, behavior: bool) -> str:
    if not behavior and stabilized > current:
        return "stabilize.legacy_raise"
    direction = "up" if raw > stabilized else "down"
    return f"stabilize.{direction}_{'hold' if stabilized == current else 'partial'}"


def _policy_code(stabilized: int, current: int, limited: Limited, *, behavior: bool) -> str:
    if not behavior:
        return "policy.legacy_up_limit"
    direction = "up" if stabilized > current else "down"
    return f"policy.{direction}_{'disabled' if limited.disabled else 'limit'}"
