"""The schedule: when each HPA was reconciled, by which process, and how its write of the scale went."""

from collections.abc import Collection, Container
from dataclasses import dataclass

import numpy as np

from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, joined, numbers
from hpaaudit.engine.fleet.input.scales import ScaleTable, by_controller
from hpaaudit.engine.fleet.input.tables import ScaleWriteRows, Tables
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.replay.reconcile_times import SOURCES
from hpaaudit.model.facts import LeaseSeen
from hpaaudit.model.units import SECOND

_COLUMNS = (
    "hpa",
    "facts",
    "at_us",
    "began_us",
    "number",
    "source",
    "period_us",
    "lagging_facts",
    "status_until",
    "complete_facts",
    "no_status",
    "gap_facts",
    "unseen_us",
)
LINE = len(SOURCES)
"""The source of a reconcile that has a line of its own."""

_SKIPPED, _ELSEWHERE = -1, -2
"""In place of an HPA: of lines that are not counted, and of those that are but are not decided."""

_OK = (200, 300)
_CONFLICT = 409
WRITES_COME_US = 60 * SECOND
"""A reconcile may write up to so long after its line. The controller does so within seconds."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer to a write of the scale."""

    seq: int
    at_us: int
    status: int


class Schedule:
    """The reconciles of a fleet, slice after slice. Each waits until everything that it may have read is known."""

    def __init__(
        self,
        keys: Ids[tuple[str, str]],
        skipped: Collection[str],
        namespaces: Container[str] = (),
        passing_leases: Collection[LeaseSeen] = (),
    ) -> None:
        self._keys = keys
        self._passing_leases = {(lease.at_us, lease.holder) for lease in passing_leases}
        self._namespaces = namespaces
        self._skipped = skipped
        self._waiting = empty(_COLUMNS)
        self._count = 0
        self._starts: list[int] = []
        self._holder = ""
        self._writes: dict[int, list[Attempt]] = {}
        self._last_decided: dict[int, int] = {}
        self._targets_done: set[int] = set()

    def add(self, tables: Tables, scales: ScaleTable) -> None:
        """Takes the lines of one more slice, without those of skipped HPAs and of other namespaces.

        Only the former are not counted.
        """
        self._starts += sorted(self._process_starts(tables))
        if tables.scale_writes is not None:
            self._written(tables.scale_writes, scales)
        table = tables.reconciles
        if table is None:
            return
        namespace, name = table.namespace, table.name
        pair = namespace.codes.astype(np.int64) * len(name.words) + name.codes
        hpas = np.full(len(namespace.words) * len(name.words), _SKIPPED, np.int64)
        for number in np.flatnonzero(np.bincount(pair, minlength=len(hpas))).tolist():
            key = (namespace.words[number // len(name.words)], name.words[number % len(name.words)])
            is_here = not self._namespaces or key[0] in self._namespaces
            hpas[number] = _SKIPPED if "/".join(key) in self._skipped else self._keys.of(key) if is_here else _ELSEWHERE
        hpa = hpas[pair]
        is_counted = hpa != _SKIPPED
        order = np.flatnonzero(hpa >= 0)
        facts, nothing = numbers(table.seq)[order], np.full(len(order), NONE, np.int64)
        rows = {
            "hpa": hpa[order],
            "facts": facts,
            "at_us": numbers(table.at_us)[order],
            "began_us": numbers(table.began_us)[order],
            "number": self._count + np.cumsum(is_counted)[order],
            "source": np.full(len(order), LINE, np.int64),
            "period_us": np.zeros(len(order), np.int64),
            "lagging_facts": facts,
            "status_until": nothing,
            "complete_facts": nothing,
            "no_status": np.zeros(len(order), np.int64),
            "gap_facts": nothing,
            "unseen_us": nothing,
        }
        self._count += int(is_counted.sum())
        rows = joined([self._waiting, rows])
        self._waiting = chosen(rows, np.argsort(rows["hpa"], kind="stable"))

    def _process_starts(self, tables: Tables) -> list[int]:
        """The facts with which a new controller process began."""
        starts = []
        if tables.controllers is not None:
            starts += numbers(tables.controllers.seq)[tables.controllers.state.are("started")].tolist()
        if tables.leases is not None:
            holder = tables.leases.holder
            columns = (numbers(tables.leases.seq), numbers(tables.leases.at_us), holder.codes)
            for seq, at_us, code in sorted(zip(*(column.tolist() for column in columns), strict=True)):
                now = holder.words[code]
                if (at_us, now) in self._passing_leases:
                    continue
                if now and self._holder and now != self._holder:
                    starts.append(seq)
                self._holder = now or self._holder
        return starts

    def _written(self, table: ScaleWriteRows, scales: ScaleTable) -> None:
        """Keeps the controller's own writes of each target."""
        own = by_controller(table.by) != 0
        targets = scales.targets_of(table)
        columns = (targets, numbers(table.seq), numbers(table.at_us), numbers(table.status))
        for target, seq, at_us, status in zip(*(column[own].tolist() for column in columns), strict=True):
            self._writes.setdefault(target, []).append(Attempt(seq, at_us, status))

    def plan(self, rows: Rows) -> None:
        """Takes all reconciles without lines, sorted by HPA, before any slice."""
        self._waiting = chosen(rows, self._is_here(rows["hpa"]))

    def _is_here(self, hpas: Array) -> Array:
        """Where an HPA is in one of the namespaces."""
        is_here = [not self._namespaces or namespace in self._namespaces for namespace, _ in self._keys.named]
        return np.array(is_here, bool)[hpas]

    def take(self, facts: int, now_us: int, *, is_last: bool) -> Rows:
        """The reconciles that can be decided once so many facts are there; at the end of the recording all of them.

        Of those with a line the last of each HPA waits: a write that comes soon after it is still its own.
        """
        rows = self._waiting
        if not len(rows["hpa"]):
            return rows
        newest = np.ones(len(rows["hpa"]), bool)
        newest[:-1] = rows["hpa"][1:] != rows["hpa"][:-1]
        fresh = newest & (rows["at_us"] > now_us - WRITES_COME_US)
        later = np.where(rows["source"] == LINE, fresh, rows["complete_facts"] > facts) & (not is_last)
        self._waiting = chosen(rows, later)
        taken = chosen(rows, ~later)
        self._last_decided.update(zip(taken["hpa"].tolist(), taken["facts"].tolist(), strict=True))
        return taken

    def first_read(self, default: int) -> int:
        """The first fact that a waiting reconcile may read as news: the one after the previous reconcile of its HPA.

        default   the fact for HPAs without a previous reconcile, from their first wait on
        """
        hpas = np.unique(self._waiting["hpa"]).tolist()
        return min((self._last_decided.setdefault(hpa, default) for hpa in hpas), default=default)

    def epochs(self, facts: Array) -> tuple[Array, Array]:
        """The process of each reconcile, counted from 0, and how many facts came before that process began."""
        starts = np.array(self._starts, np.int64)
        epoch = np.searchsorted(starts, facts, "left")
        return epoch, np.append(0, starts)[epoch]

    @property
    def starts(self) -> list[int]:
        """The facts with which a new controller process began."""
        return self._starts

    @property
    def waiting(self) -> Rows:
        """The reconciles that were not taken yet."""
        return self._waiting

    def attempts(self, rows: Rows, targets: Array, taken: int, most: int) -> dict[int, list[Attempt]]:
        """The answers to the writes of the scale, by row: a write belongs to the last reconcile of its target.

        rows, targets   the reconciles and the target of each, -1 without one
        taken           so many of them, from the first on, are decided now; the writes of the others wait
        most            how many attempts the controller makes on conflicts

        Raises `Unsupported` for a write that came so late that its reconcile was decided before.
        """
        attempts: dict[int, list[Attempt]] = {}
        later: dict[int, list[Attempt]] = {}
        for target, writes in self._writes.items():
            places = np.flatnonzero(targets == target)
            places = places[np.argsort(rows["facts"][places], kind="stable")]
            after = np.searchsorted(rows["facts"][places], [attempt.seq for attempt in writes], "right") - 1
            for attempt, index in zip(writes, after.tolist(), strict=True):
                row = -1 if index < 0 else int(places[index])
                if row >= taken:
                    later.setdefault(target, []).append(attempt)
                elif row >= 0:
                    attempts.setdefault(row, []).append(attempt)
                elif target in self._targets_done:
                    raise Unsupported("the controller wrote a scale long after its last reconcile")
        self._writes = later
        self._targets_done.update(np.unique(targets[:taken]).tolist())
        return {row: _attempts_made(answers, most) for row, answers in attempts.items()}


def _attempts_made(answers: list[Attempt], most: int) -> list[Attempt]:
    """The attempts that the controller makes: one, and more only while they conflict; as `controller.write_scale`."""
    attempts = []
    for attempt in answers[:most]:
        attempts.append(attempt)
        if attempt.status != _CONFLICT:
            break
    return attempts


def is_accepted(attempt: Attempt) -> bool:
    """True if a write was accepted."""
    return _OK[0] <= attempt.status < _OK[1]
