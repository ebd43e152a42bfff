"""Tells whether a scale may change again so soon after its last change (1.1 to 1.11).

Upstream: `horizontal.go`, `shouldScale`. Since 1.12 upscales have no window at all (#66615), and stabilization takes
the place of the other (#68122).
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.go_numbers import MIN_INT64

NEVER_SCALED = MIN_INT64
"""In place of the time of the last change where there was none."""

# Which windows are open: what the condition AbleToScale says of them, whatever the direction.
BOTH_OPEN = 0
DOWN_CLOSED = 1
UP_CLOSED = 2
BOTH_CLOSED = 3


class ForbiddenWindows(NamedTuple):
    """How long after a change of the scale nothing moves up, and nothing moves down."""

    up_us: int
    down_us: int


def is_open(last_scale_us: int, window_us: int, metric_us: int) -> bool:
    """True if a window has passed. One that ends now is still closed.

    metric_us   when the winning metric was measured, not when the controller looks: the metric must know of the change

    Without a time in the metric's answer, Go's zero time stands for it, and the window never ends.
    """
    return last_scale_us == NEVER_SCALED or last_scale_us + window_us < metric_us


def may_scale(current: int, desired: int, last_scale_us: int, metric_us: int, windows: ForbiddenWindows) -> bool:
    """True if the scale is written."""
    if desired == current:
        return False
    return is_open(last_scale_us, windows.up_us if desired > current else windows.down_us, metric_us)


def may_scale_outside(is_at_zero: bool, differs: bool, is_open: bool, behaviours: Behaviours) -> bool:
    """True if the scale is written outside the bounds, or at zero, where no metric is asked (1.2 to 1.5).

    differs   the bound is not current replicas;  is_open   `may_scale` allows it

    Up to 1.4 the forbidden windows count there as well. Since 1.5 (commit 1ef7fd36fb) a target outside of its bounds is
    scaled at once, and one at zero never.
    """
    if behaviours.scaled_to_bound_at_once:
        return differs and not is_at_zero
    return is_open


def closed_windows(last_scale_us: int, metric_us: int, windows: ForbiddenWindows) -> int:
    """Which windows are closed: BOTH_OPEN, DOWN_CLOSED and so on."""
    closed = BOTH_OPEN if is_open(last_scale_us, windows.down_us, metric_us) else DOWN_CLOSED
    return closed if is_open(last_scale_us, windows.up_us, metric_us) else closed + UP_CLOSED
