"""Decides changed inputs again, and searches for the nearest change that leads to another number."""

from collections.abc import Callable

from hpaaudit.engine.eras.reconcile import reconcile
from hpaaudit.engine.replay.process import ReconcileInput


def desired_of(inputs: ReconcileInput) -> int | None:
    """The number that these inputs lead to."""
    return reconcile(inputs.observation, inputs.memory, inputs.flags)[0].desired


def nearest_change(desired_at: Callable[[int], int | None], before: int | None, unchanged: int, changed: int) -> int:
    """The value nearest to `unchanged` at which another number than `before` is decided, by halving up to `changed`."""
    while abs(changed - unchanged) > 1:
        middle = (unchanged + changed) // 2
        if desired_at(middle) == before:
            unchanged = middle
        else:
            changed = middle
    return changed
