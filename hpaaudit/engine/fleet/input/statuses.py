"""Statuses to numbers: each distinct text is decoded once, and let go with the rows that have it."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from hpaaudit.api.quantity import parse_json
from hpaaudit.api.status import Entry, conditions_of, metric_of, read, thousandths
from hpaaudit.api.times import maybe_micros
from hpaaudit.api.v2 import decode_status
from hpaaudit.engine.api_bounds import misfit
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metrics import EMPTY_STATUS
from hpaaudit.engine.controller.outcome import scaled_to_zero
from hpaaudit.engine.controller.status import condition_of
from hpaaudit.engine.fleet.columns.codes import CONDITIONS, NULL
from hpaaudit.engine.fleet.columns.tables import NONE, Entries, Statuses
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, joined
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.follow import bend_of
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.model.hpa import Condition, HpaStatus, LabelSelector, MetricSpec, MetricStatus, MetricType, ObjectRef

Shown = tuple[str, str, str, LabelSelector | None, ObjectRef | None, bool, bool, bool]
"""What tells an entry of currentMetrics from another, but for its numbers: its metric, and which numbers there are."""

Known = TypeVar("Known")

Said = tuple[int, int, int, int, int]
"""Of conditions: whether the controller scaled to zero, each of the usual three, and whether anything was bent."""

UNLIKE_ANY = NONE
"""Below it stand entries whose numbers are no thousandths: nothing that is computed equals them."""

_VALUED = (MetricType.OBJECT, MetricType.EXTERNAL)

_KINDS = ("AbleToScale", "ScalingActive", "ScalingLimited")
REMEMBERED = 1 << 14  # texts of conditions


class StatusTable:
    """The statuses of a fleet.

    words   status and reason of a condition, those of `told` first;  shown   what entries of currentMetrics show
    unvalued   an entry of an Object or External metric has no value: what is read back from v1 has
    """

    def __init__(self, rules: Rules) -> None:
        self.words: Ids[tuple[str, str]] = Ids()
        for word in CONDITIONS:
            self.words.of(word or ("", ""))
        self.unvalued = False
        self._exact: Ids[tuple[int, ...]] = Ids()
        self.shown: Ids[Shown] = Ids()
        self.shown.of(shown_of(EMPTY_STATUS, value=False, average=False, percent=False))
        self._rules = rules
        self._said: dict[bytes, Said] = {}
        self._metrics: dict[tuple[object, ...], int] = {}
        self._rows, self._entries = empty(Statuses._fields), empty(Entries._fields)

    def __len__(self) -> int:
        return len(self._rows["desired"])

    def add(self, statuses: Iterable[str | HpaStatus]) -> None:
        """Take more, numbered on from those that are here; those of the newest version as their text.

        Raises `Unreadable` where one is what no API server serves.
        """
        rows: list[tuple[int, ...]] = []
        entries: list[tuple[int, ...]] = []
        begun = len(self._entries["shown"])
        for one in statuses:
            first, parts = begun + len(entries), read(one) if isinstance(one, str) else None
            if parts is None:
                status = _sound(decode_status(one) if isinstance(one, str) else one, HpaStatus)
                desired, current, at = status.desired_replicas, status.current_replicas, status.last_scale_us
                said = self._say(status.conditions)
                entries += map(self._entry, status.current_metrics or ())
            else:
                desired, current = parts.desired_replicas or 0, parts.current_replicas or 0
                at = maybe_micros(parts.last_scale_time)
                said = self._say_once(bytes(parts.conditions))
                entries += map(self._read_entry, parts.current_metrics or ())
            rows.append((desired, current, NULL if at is None else at, *said, first, begun + len(entries)))
        self._rows = joined([self._rows, _columns(Statuses._fields, rows)])
        self._entries = joined([self._entries, _columns(Entries._fields, entries)])

    def _say_once(self, raw: bytes) -> Said:
        """The same of their JSON, which repeats."""
        found = self._said.get(raw)
        if found is None:
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            found = self._said[raw] = self._say(_sound(conditions_of(raw), tuple[Condition, ...]))
        return found

    def _say(self, conditions: tuple[Condition, ...]) -> Said:
        """What conditions say."""
        found = [condition_of(conditions, kind) for kind in _KINDS]
        able, active, limited = (NONE if one is None else self.words.of((one.status, one.reason)) for one in found)
        return int(scaled_to_zero(conditions, self._rules)), able, active, limited, bend_of(conditions)

    def _read_entry(self, entry: Entry) -> tuple[int, ...]:
        current = entry.source.current
        value, average, percent = current.value, current.average_value, current.average_utilization
        key = (entry.type, entry.source.known_by, value is None, average is None, percent is None)
        shown = self._metrics.get(key)
        if shown is None:
            shown = self._metrics[key] = self._shown(_sound(metric_of(entry), MetricStatus), value, average, percent)
        return self._as_entry(shown, value, average, percent)

    def _entry(self, metric: MetricStatus) -> tuple[int, ...]:
        value, average, percent = metric.value, metric.average_value, metric.average_utilization
        shown = self._shown(metric, value, average, percent)
        own, each = (None if one is None else one.text for one in (value, average))
        return self._as_entry(shown, own, each, percent)

    def _shown(self, metric: MetricStatus, *numbers: object) -> int:
        value, average, percent = (number is not None for number in numbers)
        return self.shown.of(shown_of(metric, value=value, average=average, percent=percent))

    def _as_entry(
        self, shown: int, value: str | float | None, average: str | float | None, percent: int | None
    ) -> tuple[int, ...]:
        """The columns of an entry; one of no whole thousandths equals only itself."""
        texts = (value, average)
        numbers = [0 if text is None else thousandths(text) for text in texts]
        if any(number is None or wrap64(number) != number for number in numbers):
            exact = tuple(0 if text is None else parse_json(text).nano for text in texts)
            return UNLIKE_ANY - 1 - self._exact.of((shown, *exact)), 0, 0, percent or 0
        if value is None and self.shown.named[shown][0] in _VALUED:
            self.unvalued = True
        return shown, numbers[0] or 0, numbers[1] or 0, percent or 0

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


def _sound(value: Known, kind: Any) -> Known:
    """The same value, if it is one that the API can hold."""
    problem = misfit(value, kind)
    if problem:
        raise Unreadable(problem)
    return value


def shown_of(metric: MetricStatus | MetricSpec, *, value: bool, average: bool, percent: bool) -> Shown:
    """What an entry of currentMetrics shows of its metric, and which numbers."""
    return metric.type, metric.name, metric.container, metric.selector, metric.described, value, average, percent


def _columns(names: Sequence[str], rows: list[tuple[int, ...]]) -> Rows:
    columns = np.array(rows, np.int64).T if rows else [np.empty(0, np.int64) for _ in names]
    return dict(zip(names, columns, strict=True))
