"""Words the nearest changes that would have changed a decision."""

from hpaaudit.model.account import MemoryFlip, ReconcileAccount, UtilizationFlip
from hpaaudit.report.text import clock


def flip_text(account: ReconcileAccount) -> str:
    """`cpu asks for more at 67 %, for fewer at 50 %`; empty if no flip is known."""
    for flip in account.flips:
        if isinstance(flip, MemoryFlip):
            return f"the recommendation of {clock(flip.recommended_us)} leaves the window at {clock(flip.leaves_us)}"
    flips = [flip for flip in account.flips if isinstance(flip, UtilizationFlip)]
    if not flips:
        return ""
    asks = [f"for {_direction(flip, account)} at {flip.utilization_percent} %" for flip in flips]
    return f"{flips[0].metric} asks {', '.join(asks)}"


def _direction(flip: UtilizationFlip, account: ReconcileAccount) -> str:
    return "more" if account.desired is None or flip.desired > account.desired else "fewer"
