"""Statuses to numbers: each distinct text is decoded once, and let go with the rows that have it."""

from collections.abc import Iterable, Sequence

import numpy as np

from hpaaudit.engine.fleet.ids import Array, Ids
from hpaaudit.engine.fleet.rows import Rows, chosen, empty, joined
from hpaaudit.engine.fleet.tape import NONE, Entries, Statuses
from hpaaudit.engine.fleet.told import BENT, CONDITIONS, FAILING, NULL, UNBENT
from hpaaudit.engine.follow import unbent
from hpaaudit.engine.outcome import scaled_to_zero
from hpaaudit.engine.recommend import EMPTY_STATUS
from hpaaudit.engine.release import Rules
from hpaaudit.engine.rules.numbers import wrap64
from hpaaudit.engine.status import condition_of
from hpaaudit.model.hpa import HpaStatus, LabelSelector, MetricSpec, MetricStatus, ObjectRef
from hpaaudit.model.units import Quantity

Shown = tuple[str, str, str, LabelSelector | None, ObjectRef | None, bool, bool, bool]
"""What tells an entry of currentMetrics from another, but for its numbers: its metric, and which numbers there are."""

UNLIKE_ANY = NONE
"""An entry whose numbers are no thousandths: nothing that is computed equals it."""

_KINDS = ("AbleToScale", "ScalingActive", "ScalingLimited")
_NANO = 1_000_000  # billionths in a thousandth


class StatusTable:
    """The statuses of a fleet.

    words   status and reason of a condition, those of `told` first;  shown   what entries of currentMetrics show
    """

    def __init__(self, rules: Rules) -> None:
        self.words: Ids[tuple[str, str]] = Ids()
        for word in CONDITIONS:
            self.words.of(word or ("", ""))
        self.shown: Ids[Shown] = Ids()
        self.shown.of(shown_of(EMPTY_STATUS, value=False, average=False, percent=False))
        self._rules = rules
        self._rows, self._entries = empty(Statuses._fields), empty(Entries._fields)

    def __len__(self) -> int:
        return len(self._rows["desired"])

    def add(self, statuses: Iterable[HpaStatus]) -> None:
        """Take more, numbered on from those that are here."""
        rows: list[tuple[int, ...]] = []
        entries: list[tuple[int, ...]] = []
        begun = len(self._entries["shown"])
        for status in statuses:
            first = begun + len(entries)
            entries += [self._entry(metric) for metric in status.current_metrics or ()]
            found = [condition_of(status.conditions, kind) for kind in _KINDS]
            words = (NONE if one is None else self.words.of((one.status, one.reason)) for one in found)
            active = found[1]
            fails = active is not None and active.status == "False"
            rows.append(
                (
                    status.desired_replicas,
                    status.current_replicas,
                    NULL if status.last_scale_us is None else status.last_scale_us,
                    scaled_to_zero(status, self._rules),
                    *words,
                    FAILING if fails else UNBENT if unbent(status) else BENT,
                    first,
                    begun + len(entries),
                )
            )
        self._rows = joined([self._rows, _columns(Statuses._fields, rows)])
        self._entries = joined([self._entries, _columns(Entries._fields, entries)])

    def _entry(self, metric: MetricStatus) -> tuple[int, ...]:
        numbers = (_milli(metric.value), _milli(metric.average_value), metric.average_utilization or 0)
        if None in numbers:
            return UNLIKE_ANY, 0, 0, 0
        value, average, percent = (
            number is not None for number in (metric.value, metric.average_value, metric.average_utilization)
        )
        shown = shown_of(metric, value=value, average=average, percent=percent)
        return self.shown.of(shown), *(number or 0 for number in numbers)

    def keep(self, numbers: Array) -> Array:
        """Let go of all but these, which are sorted; return which number each of them has now, by its old one."""
        rows = chosen(self._rows, numbers)
        sizes = rows["entry_to"] - rows["entry_from"]
        end = np.cumsum(sizes)
        places = np.repeat(rows["entry_from"] - (end - sizes), sizes) + np.arange(int(sizes.sum()))
        now = np.full(len(self) + 1, NONE, np.int64)
        now[numbers] = np.arange(len(numbers))
        self._entries = chosen(self._entries, places)
        self._rows = {**rows, "entry_from": end - sizes, "entry_to": end}
        return now

    def tape(self) -> tuple[Statuses, Entries]:
        """Both as the kernel reads them."""
        return Statuses(**self._rows), Entries(**self._entries)


def shown_of(metric: MetricStatus | MetricSpec, *, value: bool, average: bool, percent: bool) -> Shown:
    """What an entry of currentMetrics shows of its metric, and which numbers."""
    return metric.type, metric.name, metric.container, metric.selector, metric.described, value, average, percent


def _milli(quantity: Quantity | None) -> int | None:
    """Thousandths, zero without; None where that is no whole number of them, or too large."""
    milli, rest = divmod(0 if quantity is None else quantity.nano, _NANO)
    return None if rest or wrap64(milli) != milli else milli


def _columns(names: Sequence[str], rows: list[tuple[int, ...]]) -> Rows:
    columns = np.array(rows, np.int64).T if rows else [np.empty(0, np.int64) for _ in names]
    return dict(zip(names, columns, strict=True))
