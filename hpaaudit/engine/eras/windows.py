"""The forbidden windows after a change of the scale, as the flags of a controller set them (1.1 to 1.11)."""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.forbidden_windows import NEVER_SCALED, ForbiddenWindows, closed_windows
from hpaaudit.model.flags import DOWNSCALE_DELAY_US, UPSCALE_DELAY_US, Flags
from hpaaudit.model.units import Micros


class Opened(NamedTuple):
    """The windows, when the scale last changed, and which windows are closed since."""

    windows: ForbiddenWindows
    last_scale_us: int
    closed: int


def forbidden_windows(last_scale_us: Micros | None, metric_us: Micros, flags: Flags, behaviours: Behaviours) -> Opened:
    """Which windows are closed for a metric of this time."""
    windows = windows_of(flags, behaviours)
    last_us = NEVER_SCALED if last_scale_us is None else last_scale_us
    return Opened(windows, last_us, closed_windows(last_us, metric_us, windows))


def windows_of(flags: Flags, behaviours: Behaviours) -> ForbiddenWindows:
    """The forbidden windows of a controller. They are flags since 1.7 (#42101), constants before."""
    if behaviours.delay_flags:
        return ForbiddenWindows(flags.upscale_delay_us, flags.downscale_delay_us)
    return ForbiddenWindows(UPSCALE_DELAY_US, DOWNSCALE_DELAY_US)
