"""When one HPA was reconciled, where no line says so: evidence, and a grid between it.

Between two evidenced instants that are g apart stand round(g / sync period) - 1 evenly spaced ones,
uncertain by half a period; before the first and after the last the grid goes on as the period does.
A process reconciles nothing before a period has gone by since its start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from hpaaudit.model.audit import Instant
from hpaaudit.model.units import SECOND, Micros

_RANK = {"status_write": 0, "event": 1, "scale_write": 2}
_PERIODS_SECONDS = (60, 30, 20, 15, 10, 5, 2, 1)
_MIN_GAPS = 6
_MAX_GAP_US = 180 * SECOND
_FIT = 0.08
_NEEDED = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One trace of a reconcile: after how many facts it was seen, when, and what it is."""

    index: int
    at_us: Micros
    source: str


def merged(evidence: Sequence[Evidence], within_us: Micros) -> list[Evidence]:
    """Traces of one reconcile as one: the earliest place and time, the strongest source."""
    groups: list[Evidence] = []
    for trace in sorted(evidence, key=lambda trace: (trace.at_us, trace.index)):
        if groups and trace.at_us - groups[-1].at_us <= within_us:
            first = groups[-1]
            source = min(first.source, trace.source, key=_RANK.__getitem__)
            groups[-1] = Evidence(index=min(first.index, trace.index), at_us=first.at_us, source=source)
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
    born_us: Micros,
    end_us: Micros,
    period_us: Micros,
    *,
    newborn: bool,
    starts: Sequence[Micros] = (),
) -> list[tuple[int | None, Instant]]:
    """The reconciles of one HPA between its first sight and its end; a grid instant has no index yet.

    newborn   the HPA was created before our eyes: its first reconcile comes a period later
    starts    when a new process took over, in order
    """
    found: list[tuple[int | None, Instant]] = []
    previous: Micros | None = born_us if newborn else None
    for trace in evidence:
        if previous is None:
            between = _before(trace.at_us, born_us, period_us, starts)
        else:
            between = _between(previous, trace.at_us, period_us, starts)
        found += [(None, _grid(at_us, period_us)) for at_us in between]
        instant = Instant(began_us=trace.at_us, at_us=trace.at_us, source=trace.source, uncertainty_us=Micros(0))
        found.append((trace.index, instant))
        previous = trace.at_us
    last_us = born_us if previous is None else previous
    for start in [*(start for start in starts if start > last_us), Micros(end_us + 1)]:
        found += [(None, _grid(at_us, period_us)) for at_us in _until(last_us, start, period_us)]
        last_us = start
    return found


def _grid(at_us: Micros, period_us: Micros) -> Instant:
    return Instant(began_us=at_us, at_us=at_us, source="grid", uncertainty_us=Micros(period_us // 2))


def _before(first_us: Micros, born_us: Micros, period_us: Micros, starts: Sequence[Micros]) -> list[Micros]:
    for start in starts:
        if born_us < start < first_us:
            return [*_before(start, born_us, period_us, ()), *_between(start, first_us, period_us, starts)]
    count = (first_us - born_us) // period_us
    return [Micros(first_us - step * period_us) for step in range(count, 0, -1)]


def _until(earlier_us: Micros, end_us: Micros, period_us: Micros) -> list[Micros]:
    return [Micros(at_us) for at_us in range(earlier_us + period_us, end_us, period_us)]


def _between(earlier_us: Micros, later_us: Micros, period_us: Micros, starts: Sequence[Micros]) -> list[Micros]:
    for start in starts:
        if earlier_us < start < later_us:
            ended = _until(earlier_us, start, period_us)
            return [*ended, *_between(start, later_us, period_us, starts)]
    steps = max(round((later_us - earlier_us) / period_us), 1)
    return [Micros(earlier_us + (later_us - earlier_us) * step // steps) for step in range(1, steps)]
