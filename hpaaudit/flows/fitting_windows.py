"""Finds downscale stabilization windows that fit the numbers which the controller decided.

Without a behavior it decides the highest recommendation of the window. So the window reaches back as far as the
recommendation of the decided number, and not as far as an earlier, higher one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from hpaaudit.model.units import SECOND, Micros

if TYPE_CHECKING:
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.decision import Decision

MOST = 4
"""At most so many windows are found."""

ROUND_US = tuple(
    Micros(unit)
    for unit in (
        300 * SECOND,
        60 * SECOND,
        30 * SECOND,
        15 * SECOND,
        10 * SECOND,
        5 * SECOND,
        SECOND,
        SECOND // 10,
        SECOND // 1000,
    )
)
"""Units of round durations, the coarsest first: people set a window to a multiple of one."""

NEAR = 10
"""Windows longer or shorter by this part, a tenth, are tried too: the time of a decision is not known exactly."""

_NO_END = Micros(1 << 62)


def fitting_windows(replayed: Mapping[int, "ReplayedReconcile"], decided: Mapping[int, int]) -> list[Micros]:
    """The windows with which most reconciles of one HPA decide what the controller decided, at most `MOST` of them.

    replayed   its reconciles by their numbers, in the order of time; with which window does not matter
    decided    the replicas that the controller decided, by the same numbers
    """
    changes: Counter[Micros] = Counter()
    history = list(_recommendations(replayed.values()))
    for reconcile_id in decided.keys() & replayed.keys():
        span = _span(history, replayed[reconcile_id].decision, decided[reconcile_id])
        if span is not None:
            changes[span[0]] += 1
            changes[span[1]] -= 1
    edges = sorted(changes)
    fitting = list(accumulate(changes[edge] for edge in edges))
    by_count: dict[int, list[Micros]] = defaultdict(list)
    for count, begin_us, end_us in zip(fitting, edges, edges[1:], strict=False):
        wider = Micros(begin_us - begin_us // NEAR), Micros(end_us + end_us // NEAR)
        by_count[count] += _roundest(begin_us, end_us), _roundest(*wider)
    best = (length for count in sorted(by_count, reverse=True) if count for length in by_count[count])
    return list(islice(dict.fromkeys(best), MOST))


def _recommendations(reconciles: Iterable["ReplayedReconcile"]) -> Iterator[tuple[Micros, int]]:
    """When each reconcile recommended something, and how much."""
    for reconcile in reconciles:
        newest = max(reconcile.memory.recommendations or (), key=lambda one: one.at_us, default=None)
        if newest is not None:
            yield newest.at_us, newest.replicas


def _span(history: Sequence[tuple[Micros, int]], decision: "Decision", number: int) -> tuple[Micros, Micros] | None:
    """The shortest and the first too long window with which the highest recommendation, within bounds, is this number.

    None if none leads to it.
    """
    least, most = decision.min_replicas or 0, decision.max_replicas or number
    shortest: Micros | None = None
    for recommended_us, replicas in reversed(history):
        age_us, limited = Micros(decision.at_us - recommended_us), max(min(replicas, most), least)
        if age_us < 0:
            continue
        if limited > number:
            return None if shortest is None else (shortest, age_us)
        if limited == number and shortest is None:
            shortest = age_us
    return None if shortest is None else (shortest, _NO_END)


def _roundest(begin_us: Micros, end_us: Micros) -> Micros:
    """The roundest length from the first one on and below the second one."""
    for unit in ROUND_US:
        length = Micros(-(-begin_us // unit) * unit)
        if length < end_us:
            return length
    return begin_us
