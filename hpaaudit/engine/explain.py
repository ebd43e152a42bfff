"""The chain of a decision: which step moved the number, and which one is the reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hpaaudit.engine.limit import Limited
from hpaaudit.engine.rules import reason
from hpaaudit.engine.rules.propose import ADJUST_CODES
from hpaaudit.engine.stabilize import Stabilized
from hpaaudit.model.decision import MetricProposal, Step


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
    metric = _metric_code(winner, current)
    steps = [
        Step(
            stage="propose",
            code=reason.CODES[metric],
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
                code=reason.CODES[reason.of_window(raw, current, held.replicas, behavior)],
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
                code=reason.CODES[reason.of_policy(held.replicas, current, limited.disabled, behavior)],
                before=held.replicas,
                after=limited.by_policy,
                binding=limited.by_bounds != limited.replicas,
                detail=(("limit", limited.limit),),
            )
        )
    if limited.replicas != limited.by_policy:
        steps.append(
            Step(
                stage="bound",
                code=reason.CODES[reason.of_bound(limited.by_policy, limited.replicas)],
                before=limited.by_policy,
                after=limited.replicas,
                binding=True,
                detail=(("min", bounds[0]), ("max", bounds[1])),
            )
        )
    if desired != limited.replicas:
        steps.append(Step(stage="bound", code="bound.min", before=limited.replicas, after=desired, binding=True))
    why = reason.primary(
        metric,
        raw,
        current,
        held.replicas,
        limited.by_policy,
        limited.by_bounds,
        limited.replicas,
        without_memory.replicas,
        desired,
        limited.disabled,
        behavior,
    )
    return Chain(tuple(steps), reason.CODES[why])


def _metric_code(winner: MetricProposal | None, current: int) -> int:
    if winner is None or winner.ratio is None or winner.proposal is None:
        return reason.ON_TARGET
    adjust = ADJUST_CODES.index(winner.adjust_code)
    return reason.of_metric(adjust, winner.inside_tolerance, winner.proposal, current, winner.ratio)
