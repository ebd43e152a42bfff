"""The forbidden windows after a change of the scale, as the flags of a controller set them (1.1 to 1.11)."""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.forbidden_windows import NEVER_SCALED, ForbiddenWindows, is_open
from hpaaudit.model.flags import DOWNSCALE_DELAY_US, UPSCALE_DELAY_US, Flags
from hpaaudit.model.units import Micros


class Opened(NamedTuple):
    """The windows, when the scale last changed, and which windows are open."""

    windows: ForbiddenWindows
    last_scale_us: int
    up: bool
    down: bool


def forbidden_windows(last_scale_us: Micros | None, metric_us: Micros, flags: Flags, behaviours: Behaviours) -> Opened:
    """Which windows are open for a metric of this time. They are flags since 1.7 (#42101), constants before."""
    windows = ForbiddenWindows(UPSCALE_DELAY_US, DOWNSCALE_DELAY_US)
    if behaviours.delay_flags:
        windows = ForbiddenWindows(flags.upscale_delay_us, flags.downscale_delay_us)
    last_us = NEVER_SCALED if last_scale_us is None else last_scale_us
    return Opened(
        windows,
        last_us,
        up=is_open(last_us, windows.up_us, metric_us),
        down=is_open(last_us, windows.down_us, metric_us),
    )
