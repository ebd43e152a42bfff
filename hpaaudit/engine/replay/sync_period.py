"""Infers the sync period from the times between status writes, for all HPAs and for one that has its own.

The queue delays an HPA by a whole period (`rate_limiters.go`, `FixedItemIntervalRateLimiter`), counted from the end of
its last reconcile or from a resync of the informer, which comes every period. So two reconciles of an HPA never begin
nearer to each other than a period. Each writes its status at most once, as it ends. The shortest time between two
writes therefore bounds the period, but for how long the first reconcile took. Whether that time is one period or
several shows the rest: if it is one, the other short times are about one, two or three of it.

A status also stays as it is until there is a new sample. Where samples come as seldom as statuses change, longer times
than the default show nothing of the controller, and the default is kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from hpaaudit.model.flags import SYNC_PERIOD_US
from hpaaudit.model.units import SECOND, Micros

SEEN_LATE = 0.2
"""By this part of a period two reconciles may seem nearer than a period, because we see one later than the other."""

_SEEN_TOGETHER_US = SECOND // 10
"""Writes that we saw nearer to each other than that came late, in one go: no controller reconciles an HPA so often."""

_COMMON_SECONDS = (15, 60, 30, 20, 10, 5, 2, 1)
"""What people set, the default first."""

_ROUNDED = 0.012

_OUTLIERS = 0.05
"""At most this part of the times may be nearer than a period: somebody else may write a status, or a watch may lag."""
_ENOUGH = 4
_ENOUGH_FOR_LONGER = 6
"""So many short times show a period. One above the default takes more, as a status that seldom changes looks alike."""
_AS_SELDOM = 0.9
"""New samples this part of a time apart explain why a status changed no sooner: both times are measured roughly."""
_CYCLES = 4.5
"""Times of more cycles than that say nothing: a controller that takes its time shifts them."""
_FITTING = 0.8
_FIT = 0.2
_FIT_OF_SEVERAL = 0.1
"""How far a time may be from a multiple of the cycle, if the shortest is one cycle, and if it is several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPeriods:
    """The sync period, where it comes from, and the HPAs (`namespace/name`) that have another one.

    source   `given` by the user or recorded, `inferred` or `default`
    shown    what the times between status writes show where they contradict a given period, else None
    """

    common_us: Micros
    source: str
    own: Mapping[str, Micros] = field(default_factory=dict)
    shown: Micros | None = None

    def of(self, key: str) -> Micros:
        """The sync period of an HPA."""
        return self.own.get(key, self.common_us)

    @property
    def longest_us(self) -> Micros:
        """The longest sync period that any HPA has."""
        return max((self.common_us, *self.own.values()))


def times_between(writes: Iterable[int], unsure: Iterable[tuple[int, int]] = ()) -> list[int]:
    """The times between consecutive status writes of one HPA, where both were seen when they were made.

    unsure   spans in which a write may have been made earlier than it was seen, or by another controller process than
             the one before: a time that reaches into one is no time between two reconciles of one process
    """
    ordered = sorted(writes)
    late = [(one, other + 1) for one, other in pairwise(ordered) if other - one < _SEEN_TOGETHER_US]
    spans = sorted([*unsure, *late])
    times, passed, end = [], 0, 0
    for earlier, later in pairwise(ordered):
        while passed < len(spans) and spans[passed][0] <= later:
            end = max(end, spans[passed][1])
            passed += 1
        if end <= earlier:
            times.append(later - earlier)
    return times


def sync_periods(
    times_by_hpa: Mapping[str, Sequence[int]],
    given_us: Micros | None = None,
    default_us: Micros = SYNC_PERIOD_US,
    renewals: Mapping[str, Sequence[int]] | None = None,
) -> SyncPeriods:
    """The sync periods that the times between status writes show; the default where they show none.

    renewals   the times between new samples of what each HPA reads
    """
    everything = [us for times in times_by_hpa.values() for us in times]
    by_hpa = {key: shown for key, times in times_by_hpa.items() if (shown := period_shown(times)) is not None}
    seldom = {
        key for key, shown in by_hpa.items() if _follows_samples(shown, (renewals or {}).get(key, ()), default_us)
    }
    by_hpa = {key: shown for key, shown in by_hpa.items() if key not in seldom}
    telling = [us for key, times in times_by_hpa.items() if key not in seldom for us in times]
    if given_us is not None:
        shown = _weightiest(by_hpa, times_by_hpa) or period_shown(telling) or _bound(everything)
        refuted = contradicts(given_us, everything)
        return SyncPeriods(common_us=given_us, source="given", shown=shown if refuted else None)
    common_us = _weightiest(by_hpa, times_by_hpa) or period_shown(telling)
    source = "inferred"
    if common_us is None:
        common_us, source = default_us, "default"
        if contradicts(common_us, everything) and len(times_by_hpa) == 1:
            common_us, source = _bound(everything) or common_us, "inferred"
    own = {}
    for key, times in times_by_hpa.items():
        other = by_hpa.get(key)
        if other is not None and not _explains(common_us, other):
            own[key] = other
        elif other is None and contradicts(common_us, times):
            own[key] = _bound(times) or common_us
    if own and source == "default" and len(own) == len(times_by_hpa):
        common_us, source = min(own.values()), "inferred"
        own = {key: period for key, period in own.items() if not _alike(period, common_us)}
    return SyncPeriods(common_us=common_us, source=source, own=own)


def _follows_samples(shown: int, renewals: Sequence[int], default_us: int) -> bool:
    """True if a controller with the default writes statuses so seldom because samples are renewed so seldom."""
    if len(renewals) < _ENOUGH or shown <= default_us * (1 + SEEN_LATE):
        return False
    return median(renewals) >= _AS_SELDOM * shown and _explains(default_us, shown)


def contradicts(period_us: int, times: Sequence[int]) -> bool:
    """True if too many of the times are shorter than this period."""
    short = sum(us < period_us * (1 - SEEN_LATE) for us in times)
    return short > _OUTLIERS * len(times)


def longer_periods(times: Sequence[int], used_us: Micros) -> list[Micros]:
    """The periods that people set, longer than the one that was used, of which the times may be multiples as well."""
    return [
        Micros(seconds * SECOND)
        for seconds in sorted(_COMMON_SECONDS)
        if seconds * SECOND > used_us * (1 + SEEN_LATE) and _may_be(seconds * SECOND, times)
    ]


def _may_be(period_us: int, times: Sequence[int]) -> bool:
    """True if no time contradicts this period, and the short ones fit it."""
    short = [us / period_us for us in times if us <= _CYCLES * period_us]
    fitting = [cycles for cycles in short if abs(cycles - round(cycles)) <= _FIT]
    return len(short) >= _ENOUGH and len(fitting) >= _FITTING * len(short) and not contradicts(period_us, times)


def period_shown(times: Sequence[int]) -> Micros | None:
    """The period of which the short times are one, two, three or four; None if they are too few or show none."""
    ordered = sorted(times)
    for dropped in (0, int(len(ordered) * _OUTLIERS)):
        fitting_us = _fitting(ordered[dropped:])
        if fitting_us is not None:
            return fitting_us
    return None


def _fitting(ordered: Sequence[int]) -> Micros | None:
    if not ordered:
        return None
    nearest = [us for us in ordered if us < 1.5 * ordered[0]]
    for parts in (1, 2, 3):
        cycle = median(nearest) / parts
        short = [us for us in ordered if us <= max(_CYCLES, 2 * parts) * cycle]
        fit = _FIT if parts == 1 else _FIT_OF_SEVERAL
        fitting = [us for us in short if abs(us / cycle - round(us / cycle)) <= fit]
        is_usual = parts == 1 and cycle <= SYNC_PERIOD_US * (1 + SEEN_LATE)
        if len(short) >= (_ENOUGH if is_usual else _ENOUGH_FOR_LONGER) and len(fitting) >= _FITTING * len(short):
            return _likely(nearest[len(nearest) // 20] / parts, cycle)
    return None


def _bound(times: Sequence[int]) -> Micros | None:
    """The period that somebody probably set and that no time contradicts; None without any times."""
    return _likely(min(times), min(times) / (1 - SEEN_LATE) / (1 + _ROUNDED)) if times else None


def _likely(low: float, high: float) -> Micros:
    """The period that somebody probably set, if it lies between these. Reconciles that take long make both longer."""
    for seconds in _COMMON_SECONDS:
        if low * 0.97 <= seconds * SECOND <= high * 1.01:
            return Micros(seconds * SECOND)
    # Where load lengthens cycles by a few percent only, the period is nearer to the shortest than to the usual one.
    whole = round(low / SECOND) * SECOND
    if high <= low * 1.05 and low * 0.97 <= whole <= high * 1.01:
        return Micros(whole)
    for grain in (SECOND, SECOND // 2):
        near = round(high / grain) * grain
        if abs(near - high) <= _ROUNDED * high:
            return Micros(near)
    for seconds in _COMMON_SECONDS:
        if low * 0.85 <= seconds * SECOND <= low:
            return Micros(seconds * SECOND)
    tenth = round(low * 10 / SECOND) * SECOND // 10
    return Micros(tenth if abs(tenth - low) <= _ROUNDED * low else max(round(low), 1))


def _weightiest(by_hpa: Mapping[str, Micros], times_by_hpa: Mapping[str, Sequence[int]]) -> Micros | None:
    """The period that explains what most times of single HPAs show."""
    weights: dict[Micros, int] = {}
    for key, period in by_hpa.items():
        alike = next((other for other in weights if _alike(other, period)), period)
        weights[alike] = weights.get(alike, 0) + len(times_by_hpa[key])
    enough = _OUTLIERS * sum(weights.values())
    explained = {
        period: sum(other_weight for other, other_weight in weights.items() if _explains(period, other))
        for period, weight in weights.items()
        if weight > enough
    }
    return max(explained, key=lambda period: (explained[period], weights[period], period), default=None)


def _explains(period: int, shown: int) -> bool:
    """True if an HPA with this period may show that one, because its status changes seldom.

    A metric that is measured once a minute changes a status once a minute, however often the HPA is reconciled.
    """
    cycles = shown / period
    is_multiple = abs(cycles - round(cycles)) <= _FIT_OF_SEVERAL
    return _alike(period, shown) or cycles > _CYCLES or (cycles > 1 and is_multiple)


def _alike(one: int, other: int) -> bool:
    return abs(one - other) <= 0.05 * max(one, other)
