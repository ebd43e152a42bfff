"""Tells whether a time lies between two others, of which each may be open."""

from hpaaudit.model.units import Micros


def is_within(at_us: int, since_us: Micros | None, until_us: Micros | None) -> bool:
    """Whether a time lies between two others, both included; None: no bound on that side."""
    return (since_us is None or at_us >= since_us) and (until_us is None or at_us <= until_us)
