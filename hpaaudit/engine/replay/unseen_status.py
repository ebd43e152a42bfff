"""Finds reconciles in a gap whose own status nobody saw, because a later one stood when somebody looked again."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from hpaaudit.engine.replay.reconcile_times import STATUS_WRITE, Evidence
from hpaaudit.engine.replay.unseen_memory import hidden_hpa, hides_reconciles
from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros

SEEN_AGAIN_US = 2 * SECOND
"""So long after a gap a status may have been written in it."""


def gaps_of(key: str, gaps: Iterable[Gap], period_us: Micros) -> list[Gap]:
    """The gaps that hide several reconciles of an HPA (`namespace/name`)."""
    return [gap for gap in gaps if hides_reconciles(gap, period_us) and hidden_hpa(gap) in (None, key)]


def without_own_status(reconciles: Sequence[Evidence], gaps: Iterable[Gap]) -> list[int]:
    """The places of the reconciles in gaps of which the status before them tells nothing.

    If the HPA stood unchanged when it was seen again, it stood so all the time, and no reconcile wrote anything else.

    reconciles   those of one HPA, in the order of time;  gaps   those that hide it
    """
    times = [reconcile.at_us for reconcile in reconciles]
    places = set[int]()
    for gap in gaps:
        first, seen_again = bisect_right(times, gap.at_us), bisect_right(times, gap.until_us + SEEN_AGAIN_US)
        changed = [place for place in range(first, seen_again) if reconciles[place].source == STATUS_WRITE]
        if changed:
            hidden = range(first, min(changed[-1], bisect_left(times, gap.until_us)))
            places.update(place for place in hidden if reconciles[place].source != STATUS_WRITE)
    return sorted(places)
