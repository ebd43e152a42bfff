"""Words the nearest changes of an input that would have changed a decision."""

from hpaaudit.model.account import MemoryFlip, ReconcileAccount, UtilizationFlip
from hpaaudit.model.counted import counted
from hpaaudit.report.text import Clock


def flip_text(account: ReconcileAccount) -> str:
    """`at cpu 67 % the HPA would want 7 replicas, at 50 % 4 replicas`; empty if no flip is known."""
    for flip in account.flips:
        if isinstance(flip, MemoryFlip):
            clock = Clock(account.at_us, account.at_us)
            leaves, recommended = clock(flip.leaves_us), clock(flip.recommended_us)
            wanted = counted(flip.desired, "replica")
            return (
                f"from {leaves} on the HPA would want {wanted}: the recommendation of {recommended} leaves the window"
            )
    flips = [flip for flip in account.flips if isinstance(flip, UtilizationFlip)]
    if not flips:
        return ""
    at = [f"{flip.utilization_percent} %" for flip in flips]
    numbers = [counted(flip.desired, "replica") for flip in flips]
    others = [f", at {percent} {number}" for percent, number in zip(at[1:], numbers[1:], strict=True)]
    return f"at {flips[0].metric} {at[0]} the HPA would want {numbers[0]}{''.join(others)}"
