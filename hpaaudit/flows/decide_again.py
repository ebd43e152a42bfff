"""Decides reconciles again with other settings, and keeps of each what is compared with the controller."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from hpaaudit.flows import fleet
from hpaaudit.flows.options import ignore_warning
from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words, numbers, words

if TYPE_CHECKING:
    from hpaaudit.flows.prepare import Prepared
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.hpa import HpaStatus

MOST_BYTES = 256 << 20
"""At most so much of a recording is kept in memory between trials. More is read again for each."""

_NUMBERS = ("desired", "band_lo", "band_hi")
_REASONS = ("able_reason", "active_reason")


class Again(NamedTuple):
    """What a reconcile decides with other settings.

    lowest, highest   what it may decide from other recorded inputs, or from what it may remember
    reasons           of AbleToScale and ScalingActive in its status, None if it has no status
    """

    desired: int | None
    lowest: int | None
    highest: int | None
    reasons: str | None

    def may_be(self, number: int | None) -> bool:
        """True if the reconcile decided this number, or may have decided it."""
        if self.desired == number:
            return True
        if number is None or self.lowest is None or self.highest is None:
            return False
        return self.lowest <= number <= self.highest


def again(reconcile: "ReplayedReconcile") -> Again:
    """What one reconcile decided."""
    status = reconcile.decision.status
    return Again(
        reconcile.decision.desired, reconcile.band_lo, reconcile.band_hi, None if status is None else _reasons(status)
    )


def one_by_one(
    prepared: "Prepared", facts: Iterable["Fact"], hpas: Collection[str], asked_for: Mapping[int, int | None]
) -> Iterator["ReplayedReconcile"]:
    """The reconciles of these HPAs, decided one at a time; `facts` and `asked_for` as in `engine.replay.process`."""
    from hpaaudit.engine.replay import process as engine

    process = engine.Process(
        prepared.plan,
        prepared.flags,
        prepared.flags_of,
        keep_pods=False,
        asked_for=asked_for,
        loss=prepared.loss,
    )
    return engine.replay(facts, prepared.plan, process, hpas)


class CompiledRules:
    """Decides a recording again and again by the compiled rules. What it reads of it is kept, if it is not much."""

    def __init__(self) -> None:
        self._hpas: frozenset[str] = frozenset()
        self._slices: list[Slice] | None = None

    def __call__(self, prepared: "Prepared", hpas: Collection[str]) -> "DecidedNumbers | None":
        """What is decided of these HPAs; None if the compiled rules cannot. The recording is always the same."""
        from hpaaudit.engine.fleet.input.unsupported import Unreadable, Unsupported

        prepared = replace(prepared, hpas=frozenset(hpas))
        namespaces = {key.split("/", 1)[0] for key in hpas}
        if prepared.hpas != self._hpas:
            self._hpas, self._slices = prepared.hpas, _few(fleet.slices_of(prepared, namespaces))
        decided = DecidedNumbers()
        try:
            for columns in fleet.decide(prepared, ignore_warning, namespaces, self._slices):
                decided.add(columns.reconciles)
        except (Unreadable, Unsupported):
            return None
        return decided


def _few(slices: Iterable[Slice]) -> list[Slice] | None:
    """The slices, None if they take more than `MOST_BYTES`."""
    kept, size = [], 0
    for part in slices:
        kept.append(part)
        size += sum(
            (column.codes if isinstance(column, Words) else column.values).nbytes
            for table in part.tables.values()
            for column in table.values()
        )
        if size > MOST_BYTES:
            return None
    return kept


class DecidedNumbers:
    """What the compiled rules decided, by reconcile: kept as columns, since a fleet has millions."""

    def __init__(self) -> None:
        self._parts: list[list[Numbers | Words]] = []
        self._place = array("q")
        self._part = array("q")

    def add(self, reconciles: Columns) -> None:
        """Takes the columns of one more batch."""
        ids = numbers(reconciles, "reconcile_id").values
        most = int(ids.max(initial=0)) + 1
        for places in (self._place, self._part):
            places.extend(array("q", [-1]) * (most - len(places)))
        for place, number in enumerate(ids.tolist()):
            self._place[number] = place
            self._part[number] = len(self._parts)
        self._parts.append(
            [numbers(reconciles, name) for name in _NUMBERS] + [words(reconciles, name) for name in _REASONS]
        )

    def get(self, number: int) -> Again | None:
        """What the reconcile with this number decided, None if it is none of these."""
        if number >= len(self._place) or self._place[number] < 0:
            return None
        place = self._place[number]
        desired, lowest, highest, able, active = (_value(column, place) for column in self._parts[self._part[number]])
        return Again(desired, lowest, highest, _joined(able, active))


def _value(column: Numbers | Words, place: int) -> Any:
    if isinstance(column, Words):
        code = int(column.codes[place])
        return column.words[code] if code >= 0 else None
    return None if column.missing is not None and column.missing[place] else int(column.values[place])


def _reasons(status: "HpaStatus") -> str:
    """The reasons of AbleToScale and ScalingActive."""
    by_type = {condition.type: condition.reason for condition in status.conditions}
    return _joined(by_type.get("AbleToScale"), by_type.get("ScalingActive"))


def _joined(able: str | None, active: str | None) -> str:
    return " ".join(filter(None, (able, active)))
