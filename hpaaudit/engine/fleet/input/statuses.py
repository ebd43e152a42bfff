"""Turns published statuses into numbers. Each distinct text is decoded once, and dropped with the rows that have it."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from hpaaudit.api.quantity import parse_json
from hpaaudit.api.status_parts import Entry, conditions_of, metric_of, read, thousandths
from hpaaudit.api.times import maybe_micros
from hpaaudit.api.v2 import decode_status
from hpaaudit.engine.api_bounds import misfit
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.compute_metrics import EMPTY_STATUS
from hpaaudit.engine.controller.metric_failure import failure_of
from hpaaudit.engine.controller.reconcile_state import scaled_to_zero
from hpaaudit.engine.controller.status import condition_of
from hpaaudit.engine.fleet.columns.batch import NONE, CurrentMetrics, PublishedStatuses
from hpaaudit.engine.fleet.columns.column_codes import CONDITIONS, NULL
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, joined
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.memory_correction import recommendation_in
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.model.hpa import Condition, HpaStatus, LabelSelector, MetricSpec, MetricStatus, MetricType, ObjectRef

StatusKey = tuple[str, str, str, LabelSelector | None, ObjectRef | None, bool, bool, bool]
"""What an entry of currentMetrics shows besides its numbers: which metric it is, and which numbers it has."""

Value = TypeVar("Value")

ConditionCodes = tuple[int, int, int, int, int]
"""ScaledToZero, AbleToScale, ScalingActive, ScalingLimited as codes, and what they tell of the recommendation."""

UNLIKE_ANY = NONE
"""Smaller keys are of entries whose numbers are no whole thousandths: no computed entry equals them."""

_VALUED = (MetricType.OBJECT, MetricType.EXTERNAL)

_KINDS = ("AbleToScale", "ScalingActive", "ScalingLimited")
CACHED_CONDITIONS = 1 << 14  # texts of conditions


class StatusTable:
    """The statuses of a fleet.

    condition_words   status, reason and failure of each condition, those of `columns.codes` first
    keys          what the entries of currentMetrics show besides their numbers
    lacks_value   an entry of an Object or External metric has no value, which one read back from v1 always has
    """

    def __init__(self, behaviours: Behaviours) -> None:
        self.condition_words: Ids[tuple[str, str, int]] = Ids()
        for word in CONDITIONS:
            self.condition_words.of(word)
        self.lacks_value = False
        self._exact: Ids[tuple[int, ...]] = Ids()
        self.keys: Ids[StatusKey] = Ids()
        self.keys.of(status_key_of(EMPTY_STATUS, value=False, average=False, percent=False))
        self._rules = behaviours
        self._codes_of_json: dict[bytes, ConditionCodes] = {}
        self._metrics: dict[tuple[object, ...], int] = {}
        self._rows, self._entries = empty(PublishedStatuses._fields), empty(CurrentMetrics._fields)

    def __len__(self) -> int:
        return len(self._rows["desired"])

    def add(self, statuses: Iterable[str | HpaStatus]) -> None:
        """Adds statuses, those of the newest version as their text. They are numbered on from those that are here.

        Raises `Unreadable` for one that no API server serves.
        """
        rows: list[tuple[int, ...]] = []
        entries: list[tuple[int, ...]] = []
        first_entry = len(self._entries["status_key"])
        for published in statuses:
            first, parts = first_entry + len(entries), read(published) if isinstance(published, str) else None
            if parts is None:
                status = _valid(decode_status(published) if isinstance(published, str) else published, HpaStatus)
                desired, current, at = status.desired_replicas, status.current_replicas, status.last_scale_us
                codes = self._condition_codes(status.conditions)
                entries += map(self._entry, status.current_metrics or ())
            else:
                desired, current = parts.desired_replicas or 0, parts.current_replicas or 0
                at = maybe_micros(parts.last_scale_time)
                codes = self._condition_codes_of(bytes(parts.conditions))
                entries += map(self._read_entry, parts.current_metrics or ())
            rows.append((desired, current, NULL if at is None else at, *codes, first, first_entry + len(entries)))
        self._rows = joined([self._rows, _columns(PublishedStatuses._fields, rows)])
        self._entries = joined([self._entries, _columns(CurrentMetrics._fields, entries)])

    def _condition_codes_of(self, raw: bytes) -> ConditionCodes:
        """The codes of the JSON of conditions, which repeats."""
        codes = self._codes_of_json.get(raw)
        if codes is None:
            if len(self._codes_of_json) >= CACHED_CONDITIONS:
                self._codes_of_json.clear()
            codes = self._codes_of_json[raw] = self._condition_codes(_valid(conditions_of(raw), tuple[Condition, ...]))
        return codes

    def _condition_codes(self, conditions: tuple[Condition, ...]) -> ConditionCodes:
        """The codes of conditions."""
        able, active, limited = (self._condition_code(condition_of(conditions, kind)) for kind in _KINDS)
        return int(scaled_to_zero(conditions, self._rules)), able, active, limited, recommendation_in(conditions)

    def _condition_code(self, condition: Condition | None) -> int:
        if condition is None:
            return NONE
        return self.condition_words.of((condition.status, condition.reason, failure_of(condition)))

    def _read_entry(self, entry: Entry) -> tuple[int, ...]:
        current = entry.source.current
        value, average, percent = current.value, current.average_value, current.average_utilization
        key = (entry.type, entry.source.identity, value is None, average is None, percent is None)
        number = self._metrics.get(key)
        if number is None:
            number = self._metrics[key] = self._key(_valid(metric_of(entry), MetricStatus), value, average, percent)
        return self._as_entry(number, value, average, percent)

    def _entry(self, metric: MetricStatus) -> tuple[int, ...]:
        value, average, percent = metric.value, metric.average_value, metric.average_utilization
        number = self._key(metric, value, average, percent)
        own, each = (None if quantity is None else quantity.text for quantity in (value, average))
        return self._as_entry(number, own, each, percent)

    def _key(self, metric: MetricStatus, *numbers: object) -> int:
        value, average, percent = (number is not None for number in numbers)
        return self.keys.of(status_key_of(metric, value=value, average=average, percent=percent))

    def _as_entry(
        self, key: int, value: str | float | None, average: str | float | None, percent: int | None
    ) -> tuple[int, ...]:
        """The columns of an entry. One whose numbers are no whole thousandths equals only itself."""
        texts = (value, average)
        numbers = [0 if text is None else thousandths(text) for text in texts]
        if any(number is None or wrap64(number) != number for number in numbers):
            exact = tuple(0 if text is None else parse_json(text).nano for text in texts)
            return UNLIKE_ANY - 1 - self._exact.of((key, *exact)), 0, 0, percent or 0
        if value is None and self.keys.named[key][0] in _VALUED:
            self.lacks_value = True
        return key, numbers[0] or 0, numbers[1] or 0, percent or 0

    def keep_only(self, numbers: Array) -> Array:
        """Drops all statuses but these, which are sorted; returns the new number of each by its old one."""
        rows = chosen(self._rows, numbers)
        sizes = rows["entry_to"] - rows["entry_from"]
        end = np.cumsum(sizes)
        places = np.repeat(rows["entry_from"] - (end - sizes), sizes) + np.arange(int(sizes.sum()))
        now = np.full(len(self) + 1, NONE, np.int64)
        now[numbers] = np.arange(len(numbers))
        self._entries = chosen(self._entries, places)
        self._rows = {**rows, "entry_from": end - sizes, "entry_to": end}
        return now

    def columns(self) -> tuple[PublishedStatuses, CurrentMetrics]:
        """Statuses and entries as the kernel reads them."""
        return PublishedStatuses(**self._rows), CurrentMetrics(**self._entries)


def _valid(value: Value, kind: Any) -> Value:
    """The value, if it is one that the API can hold. Raises `Unreadable` otherwise."""
    problem = misfit(value, kind)
    if problem:
        raise Unreadable(problem)
    return value


def status_key_of(metric: MetricStatus | MetricSpec, *, value: bool, average: bool, percent: bool) -> StatusKey:
    """What an entry of currentMetrics shows besides its numbers."""
    return metric.type, metric.name, metric.container, metric.selector, metric.described, value, average, percent


def _columns(names: Sequence[str], rows: list[tuple[int, ...]]) -> Rows:
    columns = np.array(rows, np.int64).T if rows else [np.empty(0, np.int64) for _ in names]
    return dict(zip(names, columns, strict=True))
