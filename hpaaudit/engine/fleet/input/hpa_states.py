"""The states of all HPAs, with their specs and statuses. Each distinct text is decoded once."""

from collections.abc import Collection, Sequence

import numpy as np

from hpaaudit.api.decode import SHOWN_WHOLE, V1, decode_hpa, decode_status
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, needed_after, numbers
from hpaaudit.engine.fleet.input.specs import Spec, spec_of
from hpaaudit.engine.fleet.input.statuses import StatusTable
from hpaaudit.engine.fleet.input.tables import HpaRows
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.hpa_history import never_reconciled
from hpaaudit.engine.rules.go_numbers import MAX_INT64
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.resource_version import version_number
from hpaaudit.model.units import Micros

_COLUMNS = ("hpa", "seq", "spec", "status", "version", "uid")


class HpaTable:
    """The HPAs of a fleet, slice after slice; `keys` are namespace and name."""

    def __init__(self, flags: Flags, behaviours: Behaviours, skipped: Collection[str]) -> None:
        self.keys: Ids[tuple[str, str]] = Ids()
        self.uids: Ids[str] = Ids()
        self.specs: list[Spec] = []
        self.statuses = StatusTable(behaviours)
        self.rows = empty(_COLUMNS)
        self._met: set[int] = set()
        self._flags = flags
        self._skipped = skipped
        self._behaviours = behaviours
        self._texts: Ids[str] = Ids()
        self._specs: dict[tuple[int, ...], int] = {}

    def add(self, table: HpaRows | None, starts: Sequence[int], *, has_lines: bool) -> dict[int, int]:
        """Takes the rows of one more slice; returns for new HPAs until when what happened to them was not seen.

        starts      the facts with which a controller process began
        has_lines   every reconcile has a line, so nothing happened before the recording
        """
        if table is None:
            return {}
        is_gone = numbers(table.gone).astype(bool)
        keys = self._keys(table)
        replayable = np.array(["/".join(key) not in self._skipped for key in self.keys.named], bool)[keys]
        alive = ~is_gone & replayable
        version = table.resource_version
        versions = np.array([_number(word) for word in version.words] + [MAX_INT64], np.int64)[version.codes]
        rows = {
            "hpa": keys,
            "seq": numbers(table.seq),
            "spec": self._read_specs(table, keys, alive),
            "status": self._read_statuses(table, alive),
            "version": versions,
            "uid": of_words(self.uids, table.uid),
        }
        self.rows = in_order(joined([self.rows, chosen(rows, replayable)]), "hpa", "seq")
        return {} if has_lines else self._unseen_us(table, rows, alive, starts)

    def _keys(self, table: HpaRows) -> Array:
        """The number of each row's HPA."""
        namespace, name = table.namespace, table.name
        pair = namespace.codes.astype(np.int64) * len(name.words) + name.codes
        both, first, places = np.unique(pair, return_index=True, return_inverse=True)
        keys = np.empty(len(both), np.int64)
        for index in np.argsort(first, kind="stable").tolist():
            namespace_code, name_code = divmod(int(both[index]), len(name.words))
            keys[index] = self.keys.of((namespace.words[namespace_code], name.words[name_code]))
        return keys[places.reshape(-1)] if len(both) else np.empty(0, np.int64)

    def _read_specs(self, table: HpaRows, keys: Array, alive: Array) -> Array:
        """The number of each row's spec, NONE if the HPA is gone."""
        columns = (table.api_version, table.spec_json, table.annotations_json)
        codes = np.stack([keys, *(of_words(self._texts, column) for column in columns)])[:, alive]
        specs = np.full(len(keys), NONE, np.int64)
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        numbers_of = []
        for row in distinct.T.tolist():
            if tuple(row) not in self._specs:
                self._specs[tuple(row)] = len(self.specs)
                key, *texts = row
                hpa = decode_hpa(_fact_of(*(self._texts.named[code] for code in texts), key=self.keys.named[key]))
                self.specs.append(spec_of(hpa, self._flags, self._behaviours))
            numbers_of.append(self._specs[tuple(row)])
        specs[alive] = np.array(numbers_of, np.int64)[places.reshape(-1)]
        return specs

    def _read_statuses(self, table: HpaRows, alive: Array) -> Array:
        """The number of each row's status, NONE if the HPA is gone."""
        version, status, annotations = table.api_version, table.status_json, table.annotations_json
        # In v1 a part of the status stands in annotations.
        apart = np.array([word == V1 for word in version.words] + [False], bool)[version.codes]
        beside = np.where(apart, annotations.codes, NONE).astype(np.int64)
        codes = np.stack([version.codes, status.codes, beside]).astype(np.int64)[:, alive]
        statuses = np.full(len(alive), NONE, np.int64)
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        statuses[alive] = len(self.statuses) + places.reshape(-1)
        texts = (
            status.words[text]
            if version.words[one] in SHOWN_WHOLE
            else decode_status(
                _fact_of(
                    version.words[one],
                    "{}",
                    "{}" if other == NONE else annotations.words[other],
                    status_json=status.words[text],
                )
            )
            for one, text, other in distinct.T.tolist()
        )
        try:
            self.statuses.add(texts)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
            raise Unreadable(str(error)) from error
        return statuses

    def _unseen_us(self, table: HpaRows, rows: Rows, alive: Array, starts: Sequence[int]) -> dict[int, int]:
        """Until when what happened to new HPAs was not seen; as `replay.process`."""
        unseen_us: dict[int, int] = {}
        order = np.argsort(rows["seq"], kind="stable")
        keys, first = np.unique(rows["hpa"][order], return_index=True)
        for key, row in zip(keys.tolist(), order[first].tolist(), strict=True):
            started = any(start < rows["seq"][row] for start in starts)
            if key not in self._met and alive[row] and not started and not _is_new(table, row):
                unseen_us[key] = int(numbers(table.at_us)[row])
            self._met.add(key)
        return unseen_us

    def drop_before(self, cut: int) -> None:
        """Drops the states and statuses that no reconcile after fact `cut` can read."""
        self.rows = needed_after(self.rows, "hpa", cut)
        status = self.rows["status"]
        used = np.unique(status[status != NONE])
        self.rows = {**self.rows, "status": self.statuses.keep_only(used)[status]}

    def specs_of(self) -> list[list[int]]:
        """The specs that each HPA has in this slice."""
        specs: list[list[int]] = [[] for _ in range(len(self.keys))]
        pairs = np.unique(np.stack([self.rows["hpa"], self.rows["spec"]]), axis=1)
        for hpa, spec in pairs.T.tolist():
            if spec >= 0:
                specs[hpa].append(spec)
        return specs


def _is_new(table: HpaRows, row: int) -> bool:
    """True if no controller had reconciled the HPA of this row."""
    status, annotations = table.status_json, table.annotations_json
    return never_reconciled(status.words[status.codes[row]], annotations.words[annotations.codes[row]])


def _number(version: str) -> int:
    """A resource version as a number. One that is not a number counts as new enough."""
    number = version_number(version)
    return MAX_INT64 if number is None else number


def _fact_of(
    version: str, spec: str, annotations: str, *, status_json: str = "{}", key: tuple[str, str] = ("", "")
) -> HpaSeen:
    """A row as a fact, with its spec and status decoded."""
    return HpaSeen(
        at_us=Micros(0),
        namespace=key[0],
        name=key[1],
        uid="",
        api_version=version,
        resource_version="",
        generation=0,
        created_us=None,
        spec_json=spec,
        status_json=status_json,
        annotations_json=annotations,
    )
