"""When one HPA was reconciled, where no line says so: evidence, and a grid between it.

Between two evidenced instants that are g apart stand as many evenly spaced ones as leave a period between any two,
uncertain by half a period; before the first and after the last the grid goes on as the period does.
A process reconciles nothing before a period has gone by since its start.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from hpaaudit.errors import ReplayError
from hpaaudit.model.units import SECOND, Micros

# How a reconcile is known, the strongest first.
STATUS_WRITE = 0
EVENT = 1
SCALE_WRITE = 2
GRID = 3
NOWHERE = -1
SOURCES = ("status_write", "event", "scale_write", "grid")
MOST = 10_000_000
"""Reconciles of one HPA: nearly five years of one every 15 seconds."""
_PERIODS_SECONDS = (60, 30, 20, 15, 10, 5, 2, 1)
_MIN_GAPS = 6
_MAX_GAP_US = 180 * SECOND
_FIT = 0.08
_NEEDED = 0.9
_SEEN_LATE = 0.2
"""Of a period: so much nearer may two reconciles seem, for we see one later than the other.

They never are nearer. An HPA is put off for a whole period after each reconcile
(pkg/controller/podautoscaler/rate_limiters.go, FixedItemIntervalRateLimiter), and a busy controller only adds to that.
"""


class Evidence(NamedTuple):
    """One trace of a reconcile: when, after how many facts it was seen (NOWHERE: not told), and what it is."""

    at_us: int
    facts: int
    source: int


def merged(evidence: Iterable[Evidence], within_us: int) -> list[Evidence]:
    """Traces of one reconcile as one: the earliest place and time, the strongest source."""
    groups: list[Evidence] = []
    for trace in sorted(evidence):
        if groups and trace.at_us - groups[-1].at_us <= within_us:
            first = groups[-1]
            groups[-1] = Evidence(first.at_us, min(first.facts, trace.facts), min(first.source, trace.source))
        else:
            groups.append(trace)
    return groups


def inferred_period(lives: Sequence[Sequence[Evidence]]) -> Micros | None:
    """The sync period that the gaps between evidence are multiples of; None where too few tell."""
    gaps = [
        later.at_us - earlier.at_us
        for life in lives
        for earlier, later in pairwise(life)
        if later.at_us - earlier.at_us <= _MAX_GAP_US
    ]
    if len(gaps) < _MIN_GAPS:
        return None
    for seconds in _PERIODS_SECONDS:
        period = seconds * SECOND
        fits = [gap for gap in gaps if abs(gap / period - round(gap / period)) <= _FIT and round(gap / period) >= 1]
        if len(fits) >= _NEEDED * len(gaps) and median(gaps) >= period * (1 - _FIT):
            return Micros(period)
    return None


def instants(
    evidence: Sequence[Evidence],
    born_us: int,
    end_us: int,
    period_us: int,
    *,
    newborn: bool,
    starts: Sequence[int] = (),
) -> list[Evidence]:
    """The reconciles of one HPA between its first sight and its end; those of the grid stand NOWHERE.

    newborn   the HPA was created before our eyes: its first reconcile comes a period later
    starts    when a new process took over, in order

    Raises ReplayError where they are more than anybody waits for: no recorder saw all that time.
    """
    if (end_us - born_us) // period_us > MOST:
        days = (end_us - born_us) // (24 * 3600 * SECOND)
        raise ReplayError(f"an HPA was reconciled for {days:,} days, which is too long: replay a part with --until")
    found: list[Evidence] = []
    previous: int | None = born_us if newborn else None
    for trace in evidence:
        between: Sequence[int]
        if previous is None:
            between = _before(trace.at_us, born_us, period_us, starts)
        else:
            between = _between(previous, trace.at_us, period_us, starts)
        found += [Evidence(at_us, NOWHERE, GRID) for at_us in between]
        found.append(trace)
        previous = trace.at_us
    last_us = born_us if previous is None else previous
    # A process that takes over after the end finds nothing to reconcile.
    for start in [*(start for start in starts if last_us < start <= end_us), end_us + 1]:
        found += [Evidence(at_us, NOWHERE, GRID) for at_us in _until(last_us, start, period_us)]
        last_us = start
    return found


def _before(first_us: int, born_us: int, period_us: int, starts: Sequence[int]) -> list[int]:
    for start in starts:
        if born_us < start < first_us:
            return [*_before(start, born_us, period_us, ()), *_between(start, first_us, period_us, starts)]
    count = (first_us - born_us) // period_us
    return [first_us - step * period_us for step in range(count, 0, -1)]


def _until(earlier_us: int, end_us: int, period_us: int) -> Sequence[int]:
    return range(earlier_us + period_us, end_us, period_us)


def _between(earlier_us: int, later_us: int, period_us: int, starts: Sequence[int]) -> Sequence[int]:
    for start in starts:
        if earlier_us < start < later_us:
            ended = _until(earlier_us, start, period_us)
            return [*ended, *_between(start, later_us, period_us, starts)]
    steps = max(int((later_us - earlier_us) / period_us + _SEEN_LATE), 1)
    return [earlier_us + (later_us - earlier_us) * step // steps for step in range(1, steps)]
