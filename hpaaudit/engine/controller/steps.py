"""The steps of a decision: how each changed the number, and which one is the primary reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hpaaudit.engine.rules import primary_reason as reason
from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.normalize import Limits, Normalized
from hpaaudit.engine.rules.reason_codes import CODES, ON_TARGET
from hpaaudit.engine.rules.replica_calculator import ADJUST_CODES
from hpaaudit.model.decision import MetricProposal, Step
from hpaaudit.model.memory import Memory


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


def gate_chain(step: Step) -> Chain:
    """The chain of a gate that decides alone."""
    return Chain((step,), step.code)


def chain_of(views: Sequence[MetricProposal], normalized: Normalized, limits: Limits, memory: Memory) -> Chain:
    """The chain from the metrics through stabilization, policies and bounds.

    memory   the memory before the reconcile

    A step is binding if the number would be another without it alone.
    """
    stabilized, limited, raw, current = normalized.stabilized, normalized.limited, normalized.raw, normalized.current
    winner = next((view for view in views if view.is_winner), None)
    metric = metric_code(winner, current)
    steps = [
        Step(
            stage="propose",
            code=CODES[metric],
            before=current,
            after=raw,
            binding=raw != current,
            detail=(("metric", winner.metric_name if winner else None), ("ratio", winner.ratio if winner else None)),
        )
    ]
    if stabilized.replicas != raw:
        decisive = None if stabilized.decisive == NONE else (memory.recommendations or ())[stabilized.decisive]
        upward = limits.has_behavior and raw >= current
        steps.append(
            Step(
                stage="stabilize",
                code=CODES[reason.of_window(normalized)],
                before=raw,
                after=stabilized.replicas,
                binding=normalized.without_memory != limited.replicas,
                detail=(
                    ("recommendation", decisive.replicas if decisive else None),
                    ("recommended_us", decisive.at_us if decisive else None),
                    ("window_us", limits.windows.up_us if upward else limits.windows.down_us),
                ),
            )
        )
    if limited.by_policy != stabilized.replicas:
        steps.append(
            Step(
                stage="policy",
                code=CODES[reason.of_policy(normalized)],
                before=stabilized.replicas,
                after=limited.by_policy,
                binding=limited.by_bounds != limited.replicas,
                detail=(("limit", limited.limit),),
            )
        )
    if limited.replicas != limited.by_policy:
        steps.append(
            Step(
                stage="bound",
                code=CODES[reason.of_bound(normalized)],
                before=limited.by_policy,
                after=limited.replicas,
                binding=True,
                detail=(("min", limits.minimum), ("max", limits.maximum)),
            )
        )
    if normalized.desired != limited.replicas:
        steps.append(
            Step(stage="bound", code="bound.min", before=limited.replicas, after=normalized.desired, binding=True)
        )
    return Chain(tuple(steps), CODES[reason.primary(metric, normalized)])


def metric_code(winner: MetricProposal | None, current: int) -> int:
    """The reason code of the winning metric."""
    if winner is None or winner.ratio is None or winner.proposal is None:
        return ON_TARGET
    adjust = ADJUST_CODES.index(winner.adjust_code)
    return reason.of_metric(adjust, winner.inside_tolerance, winner.proposal, current, winner.ratio)
