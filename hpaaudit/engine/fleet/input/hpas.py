"""Rows of HPAs to specs and statuses: each distinct text is decoded once."""

from collections.abc import Collection, Sequence

import numpy as np

from hpaaudit.api.decode import SHOWN_WHOLE, V1, decode_hpa, decode_status
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.fleet.columns.tables import NONE
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, empty, in_order, joined, kept, numbers
from hpaaudit.engine.fleet.input.specs import Spec, spec_of
from hpaaudit.engine.fleet.input.statuses import StatusTable
from hpaaudit.engine.fleet.input.tables import HpaRows
from hpaaudit.engine.fleet.input.unsupported import Unreadable
from hpaaudit.engine.replay.hpa_history import NEVER_RECONCILED
from hpaaudit.engine.rules.go_numbers import MAX_INT64
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import Micros
from hpaaudit.model.version import version_number

_COLUMNS = ("hpa", "seq", "spec", "status", "version", "uid")


class HpaTracks:
    """The HPAs of a fleet, slice after slice; `keys` are namespace and name."""

    def __init__(self, flags: Flags, rules: Rules, skipped: Collection[str]) -> None:
        self.keys: Ids[tuple[str, str]] = Ids()
        self.uids: Ids[str] = Ids()
        self.specs: list[Spec] = []
        self.statuses = StatusTable(rules)
        self.rows = empty(_COLUMNS)
        self._met: set[int] = set()
        self._flags = flags
        self._skipped = skipped
        self._rules = rules
        self._texts: Ids[str] = Ids()
        self._specs: dict[tuple[int, ...], int] = {}

    def add(self, table: HpaRows | None, starts: Sequence[int], *, exact: bool) -> dict[int, int]:
        """Take the rows of one more slice; return until when what happened to which new HPAs was not seen.

        starts   with which facts a process began;  exact   nothing happened before the recording
        """
        if table is None:
            return {}
        gone = numbers(table.gone).astype(bool)
        keys = self._keys(table)
        known = np.array(["/".join(key) not in self._skipped for key in self.keys.named], bool)[keys]
        alive = ~gone & known
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
        self.rows = in_order(joined([self.rows, chosen(rows, known)]), "hpa", "seq")
        return {} if exact else self._unseen(table, rows, alive, starts)

    def _keys(self, table: HpaRows) -> Array:
        """The number of each row's HPA."""
        namespace, name = table.namespace, table.name
        pair = namespace.codes.astype(np.int64) * len(name.words) + name.codes
        both, first, places = np.unique(pair, return_index=True, return_inverse=True)
        found = np.empty(len(both), np.int64)
        for place in np.argsort(first, kind="stable").tolist():
            one, other = divmod(int(both[place]), len(name.words))
            found[place] = self.keys.of((namespace.words[one], name.words[other]))
        return found[places.reshape(-1)] if len(both) else np.empty(0, np.int64)

    def _read_specs(self, table: HpaRows, keys: Array, alive: Array) -> Array:
        """The number of each row's spec, NONE of one that is gone."""
        columns = (table.api_version, table.spec_json, table.annotations_json)
        codes = np.stack([keys, *(of_words(self._texts, column) for column in columns)])[:, alive]
        found = np.full(len(keys), NONE, np.int64)
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        numbers_of = []
        for own in distinct.T.tolist():
            if tuple(own) not in self._specs:
                self._specs[tuple(own)] = len(self.specs)
                key, *texts = own
                hpa = decode_hpa(_seen(*(self._texts.named[code] for code in texts), key=self.keys.named[key]))
                self.specs.append(spec_of(hpa, self._flags, self._rules))
            numbers_of.append(self._specs[tuple(own)])
        found[alive] = np.array(numbers_of, np.int64)[places.reshape(-1)]
        return found

    def _read_statuses(self, table: HpaRows, alive: Array) -> Array:
        """The number of each row's status, NONE of one that is gone."""
        version, status, annotations = table.api_version, table.status_json, table.annotations_json
        # Of v1 a part of the status stands among the annotations.
        apart = np.array([word == V1 for word in version.words] + [False], bool)[version.codes]
        beside = np.where(apart, annotations.codes, NONE).astype(np.int64)
        codes = np.stack([version.codes, status.codes, beside]).astype(np.int64)[:, alive]
        found = np.full(len(alive), NONE, np.int64)
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        found[alive] = len(self.statuses) + places.reshape(-1)
        texts = (
            status.words[text]
            if version.words[one] in SHOWN_WHOLE
            else decode_status(
                _seen(
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
        return found

    def _unseen(self, table: HpaRows, rows: Rows, alive: Array, starts: Sequence[int]) -> dict[int, int]:
        """Until when what happened to HPAs that are new was not seen; as `engine.replay`."""
        found: dict[int, int] = {}
        status = table.status_json
        before = np.array([word not in NEVER_RECONCILED for word in status.words] + [False], bool)[status.codes]
        order = np.argsort(rows["seq"], kind="stable")
        keys, first = np.unique(rows["hpa"][order], return_index=True)
        for key, place in zip(keys.tolist(), order[first].tolist(), strict=True):
            started = any(start < rows["seq"][place] for start in starts)
            if key not in self._met and alive[place] and before[place] and not started:
                found[key] = int(numbers(table.at_us)[place])
            self._met.add(key)
        return found

    def keep(self, cut: int) -> None:
        """Let go of what no pass from the fact number `cut` on can see."""
        self.rows = kept(self.rows, "hpa", cut)
        status = self.rows["status"]
        used = np.unique(status[status != NONE])
        self.rows = {**self.rows, "status": self.statuses.keep(used)[status]}

    def specs_of(self) -> list[list[int]]:
        """The specs that each HPA has in this slice."""
        found: list[list[int]] = [[] for _ in range(len(self.keys))]
        pairs = np.unique(np.stack([self.rows["hpa"], self.rows["spec"]]), axis=1)
        for hpa, spec in pairs.T.tolist():
            if spec >= 0:
                found[hpa].append(spec)
        return found


def _number(version: str) -> int:
    """A resource version as a number; one that is none counts as new enough."""
    number = version_number(version)
    return MAX_INT64 if number is None else number


def _seen(
    version: str, spec: str, annotations: str, *, status_json: str = "{}", key: tuple[str, str] = ("", "")
) -> HpaSeen:
    """What there is to decode of a row."""
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
