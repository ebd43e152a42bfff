"""Rows of HPAs to specs and statuses: each distinct text is decoded once."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from hpaaudit.api.decode import decode_hpa
from hpaaudit.engine.fleet.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.rows import empty, in_order, joined, kept, numbers, words
from hpaaudit.engine.fleet.specs import Spec, spec_of
from hpaaudit.engine.outcome import scaled_to_zero
from hpaaudit.engine.release import Rules
from hpaaudit.engine.rules.numbers import MAX_INT64
from hpaaudit.engine.status import condition_of
from hpaaudit.model.columns import Columns
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.units import Micros

_COLUMNS = ("hpa", "seq", "spec", "status", "version", "uid")
_TEXTS = ("api_version", "spec_json", "status_json", "annotations_json")
_CONDITIONS = ("AbleToScale", "ScalingActive", "ScalingLimited")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a status says, as far as a reconcile asks it; of each condition status and reason, None without it."""

    desired: int
    scaled_to_zero: bool
    conditions: tuple[tuple[str, str] | None, ...]


class HpaTracks:
    """The HPAs of a fleet, slice after slice; `keys` are namespace and name."""

    def __init__(self, flags: Flags, rules: Rules, skipped: Collection[str]) -> None:
        self.keys: Ids[tuple[str, str]] = Ids()
        self.uids: Ids[str] = Ids()
        self.specs: list[Spec] = []
        self.statuses: list[Said] = []
        self.rows = empty(_COLUMNS)
        self._flags = flags
        self._skipped = skipped
        self._rules = rules
        self._texts: Ids[str] = Ids()
        self._specs: dict[tuple[int, ...], int] = {}
        self._statuses: dict[tuple[int, ...], int] = {}

    def add(self, table: Columns | None) -> None:
        """Take the rows of one more slice."""
        if table is None:
            return
        namespace, name = words(table, "namespace"), words(table, "name")
        gone = numbers(table, "gone").astype(bool)
        keys = [
            self.keys.of((namespace.words[a], name.words[b])) for a, b in zip(namespace.codes, name.codes, strict=True)
        ]
        codes = np.stack([of_words(self._texts, words(table, column)) for column in _TEXTS])
        version = words(table, "resource_version")
        versions = np.array([_number(word) for word in version.words] + [MAX_INT64], np.int64)[version.codes]
        known = np.array(["/".join(self.keys.named[key]) not in self._skipped for key in keys], bool)
        spec, status = np.full(len(keys), -1, np.int64), np.full(len(keys), -1, np.int64)
        for place, key in enumerate(keys):
            if not gone[place] and known[place]:
                spec[place], status[place] = self._decoded(key, tuple(codes[:, place].tolist()))
        rows = {
            "hpa": np.array(keys, np.int64),
            "seq": numbers(table, "seq"),
            "spec": spec,
            "status": status,
            "version": versions,
            "uid": of_words(self.uids, words(table, "uid")),
        }
        self.rows = in_order(joined([self.rows, {n: column[known] for n, column in rows.items()}]), "hpa", "seq")

    def _decoded(self, key: int, codes: tuple[int, ...]) -> tuple[int, int]:
        """The numbers of a spec and a status."""
        version, spec_code, status_code, annotations = codes
        spec_key, status_key = (key, version, spec_code, annotations), (version, status_code, annotations)
        spec, status = self._specs.get(spec_key), self._statuses.get(status_key)
        if spec is None or status is None:
            hpa = decode_hpa(self._fact(key, codes))
            if spec is None:
                spec = self._specs[spec_key] = len(self.specs)
                self.specs.append(spec_of(hpa, self._flags, self._rules))
            if status is None:
                status = self._statuses[status_key] = len(self.statuses)
                self.statuses.append(self._said(hpa))
        return spec, status

    def _fact(self, key: int, codes: tuple[int, ...]) -> HpaSeen:
        version, spec, status, annotations = (self._texts.named[code] if code >= 0 else "" for code in codes)
        namespace, name = self.keys.named[key]
        return HpaSeen(
            at_us=Micros(0),
            namespace=namespace,
            name=name,
            uid="",
            api_version=version,
            resource_version="",
            generation=0,
            created_us=None,
            spec_json=spec,
            status_json=status,
            annotations_json=annotations,
        )

    def _said(self, hpa: Hpa) -> Said:
        found = [condition_of(hpa.status.conditions, kind) for kind in _CONDITIONS]
        return Said(
            desired=hpa.status.desired_replicas,
            scaled_to_zero=scaled_to_zero(hpa, self._rules),
            conditions=tuple(None if one is None else (one.status, one.reason) for one in found),
        )

    def keep(self, cut: int) -> None:
        """Let go of what no pass from the fact number `cut` on can see."""
        self.rows = kept(self.rows, "hpa", cut)

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
    return int(version) if version.isdigit() else MAX_INT64


def status_columns(said: list[Said]) -> tuple[Array, Array]:
    """Desired numbers and whether this controller itself scaled to zero, by the number of the status."""
    desired = np.array([one.desired for one in said] + [0], np.int64)
    return desired, np.array([one.scaled_to_zero for one in said] + [False], np.int64)
