"""Reads what tells of reconciles that have no line: few facts whole, of statuses only where they change."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hpaaudit.model.columns import Columns, Telling, Words, words
from hpaaudit.model.facts import Fact
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.reading.segment import segment_tables
from hpaaudit.recording.reading.slices import as_columns

Array = NDArray[Any]

WHOLE = ("controllers", "gaps", "leases", "versions")
"""Tables of which every fact tells something."""

ASKED = (*WHOLE, "events", "hpas", "targets")
TIMES = ("seq", "at_us")

SPEC = ("uid", "api_version", "spec_json", "annotations_json", "gone")
"""What makes a row of an HPA more than another status."""

TARGET = ("api_group", "resource", "namespace", "name")


def read_evidence(folder: Path, segments: Sequence[Segment], component: str) -> Iterator[Telling]:
    """Yield what each segment tells; `component` is whose Events do. Raises `DamagedFile`."""
    hpas, targets = _Last(("namespace", "name")), _Last(TARGET)
    reached = segments[0].first_seq if segments else 0
    for segment in segments:
        tables = _tables(folder, segment)
        # A repaired segment has fewer facts than numbers: those that nobody has have no time.
        at_us = np.zeros(segment.first_seq + segment.facts - reached, np.int64)
        for rows in tables.values():
            at_us[rows.column("seq").to_numpy() - reached] = rows.column("at_us").to_numpy()
        reached = segment.first_seq + segment.facts
        found: list[tuple[int, Fact]] = []
        for table in WHOLE:
            if table in tables:
                found += _facts(table, tables[table])
        if "events" in tables:
            rows = tables["events"]
            found += _facts("events", rows.filter(pa.array(words(as_columns(rows), "component").are(component))))
        if "targets" in tables:
            rows = tables["targets"]
            scaled = rows.filter(pa.array(~_codes(as_columns(rows), "gone")))
            other = targets.differs(as_columns(scaled), ("spec_replicas",))["spec_replicas"]
            found += _facts("targets", scaled.filter(pa.array(other)))
        keys: tuple[str, ...] = ()
        key, seq, repeated, texts = *([np.empty(0, np.int64)] * 3), keys
        if "hpas" in tables:
            rows = tables["hpas"]
            shown = as_columns(rows)
            differs = hpas.differs(shown, (*SPEC, "status_json"))
            found += _facts("hpas", rows.filter(pa.array(np.logical_or.reduce([differs[name] for name in SPEC]))))
            keys, every = hpas.keys(shown)
            alive = ~_codes(shown, "gone")
            changed = differs["status_json"] & alive
            key, seq, texts = every[changed], _codes(shown, "seq")[changed], words(shown, "status_json").words
            repeated = _codes(shown, "seq")[alive & ~differs["status_json"] & ~differs["uid"]]
        yield Telling(
            first_seq=segment.first_seq,
            at_us=at_us,
            facts=sorted(found, key=itemgetter(0)),
            keys=keys,
            key=key,
            seq=seq,
            repeated=repeated,
            texts=texts,
        )


def _tables(folder: Path, segment: Segment) -> dict[str, pa.Table]:
    """The tables of facts of a segment: of those that tell nothing only when their facts were seen."""
    wanted = {
        file.table: [one.name for one in TABLES[file.table].columns] if file.table in ASKED else TIMES
        for file in segment.files
        if file.table not in PARTS
    }
    return segment_tables(folder, segment, wanted)


class _Last:
    """The last row of everything that was named so far, as far as somebody asked for it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last: dict[tuple[Any, ...], Mapping[str, Any]] = {}

    def keys(self, rows: Columns) -> tuple[tuple[str, ...], Array]:
        """What the rows are of, joined by a slash, and which of them each row is."""
        named, key = self._named(rows)
        return tuple("/".join(name) for name in named), key

    def _named(self, rows: Columns) -> tuple[list[tuple[str, ...]], Array]:
        columns = [words(rows, name) for name in self._names]
        codes = np.stack([one.codes for one in columns])
        distinct, places = np.unique(codes, axis=1, return_inverse=True)
        named = [tuple(one.words[code] for one, code in zip(columns, own, strict=True)) for own in distinct.T.tolist()]
        return named, places.reshape(-1).astype(np.int64)

    def differs(self, rows: Columns, names: Sequence[str]) -> dict[str, Array]:
        """Where each of some columns differs from the row before of the same; a first row differs in all."""
        named, key = self._named(rows)
        order = np.lexsort([_codes(rows, "seq"), key])
        first = np.ones(len(order), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        last = np.roll(first, -1)
        found, after = {}, [dict[str, Any]() for _ in named]
        for name in names:
            column = rows[name]
            codes, texts = _codes(rows, name)[order], column.words if isinstance(column, Words) else None
            other = np.ones(len(order), bool)
            other[1:] = codes[1:] != codes[:-1]
            for place, end, own in zip(
                np.flatnonzero(first).tolist(), np.flatnonzero(last).tolist(), key[order][first].tolist(), strict=True
            ):
                before = self._last.get(named[own])
                other[place] = before is None or before[name] != _value(codes[place], texts)
                after[own][name] = _value(codes[end], texts)
            found[name] = np.empty(len(order), bool)
            found[name][order] = other
        self._last.update(zip(named, after, strict=True))
        return found


def _value(code: Any, texts: Sequence[str] | None) -> Any:
    return int(code) if texts is None else None if code < 0 else texts[code]


def _facts(table: str, rows: pa.Table) -> Iterator[tuple[int, Fact]]:
    columns = [to_python(rows.column(one.name)) for one in TABLES[table].columns]
    return (fact_rows.to_fact(table, row) for row in zip(*columns, strict=True))


def _codes(rows: Columns, name: str) -> Array:
    found = rows[name]
    return found.codes if isinstance(found, Words) else found.values
