"""Reads the evidence of reconciles that have no line of their own: status changes, Events, Leases, scale changes."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hpaaudit.model.facts import Fact
from hpaaudit.model.fleet_columns import Columns, ReconcileEvidence, Words, words
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.reading.segment import segment_tables
from hpaaudit.recording.reading.slices import as_columns

Array = NDArray[Any]

ALL_FACTS = ("controllers", "gaps", "leases", "versions")
"""Tables in which every fact is evidence."""

ALL_COLUMNS = (*ALL_FACTS, "events", "hpas", "targets")
TIMES = ("seq", "at_us")

SPEC = ("uid", "api_version", "spec_json", "annotations_json", "labels_json", "gone")
"""Columns of `hpas` whose change makes the row a fact as a whole, not only its status."""

TARGET = ("api_group", "resource", "namespace", "name")


def read_evidence(folder: Path, segments: Sequence[Segment], component: str) -> Iterator[ReconcileEvidence]:
    """Yields the evidence in each segment. `component` is the controller in Events. Raises `DamagedFile`."""
    hpas, targets = _LastRows(("namespace", "name")), _LastRows(TARGET)
    next_seq = segments[0].first_seq if segments else 0
    for segment in segments:
        tables = _tables(folder, segment)
        # A repaired segment has fewer facts than sequence numbers. The time of an unused number is 0.
        at_us = np.zeros(segment.first_seq + segment.facts - next_seq, np.int64)
        for rows in tables.values():
            at_us[rows.column("seq").to_numpy() - next_seq] = rows.column("at_us").to_numpy()
        next_seq = segment.first_seq + segment.facts
        facts: list[tuple[int, Fact]] = []
        for table in ALL_FACTS:
            if table in tables:
                facts += _facts(table, tables[table])
        if "events" in tables:
            rows = tables["events"]
            facts += _facts("events", rows.filter(pa.array(words(as_columns(rows), "component").are(component))))
        if "targets" in tables:
            rows = tables["targets"]
            existing = rows.filter(pa.array(~_codes(as_columns(rows), "gone")))
            scaled = targets.differs(as_columns(existing), ("spec_replicas",))["spec_replicas"]
            facts += _facts("targets", existing.filter(pa.array(scaled)))
        keys: tuple[str, ...] = ()
        key, seq, repeated, texts = *([np.empty(0, np.int64)] * 3), keys
        if "hpas" in tables:
            rows = tables["hpas"]
            columns = as_columns(rows)
            differs = hpas.differs(columns, (*SPEC, "status_json"))
            facts += _facts("hpas", rows.filter(pa.array(np.logical_or.reduce([differs[name] for name in SPEC]))))
            keys, key_of_row = hpas.keys(columns)
            exists = ~_codes(columns, "gone")
            changed = differs["status_json"] & exists
            key, seq = key_of_row[changed], _codes(columns, "seq")[changed]
            texts = words(columns, "status_json").words
            repeated = _codes(columns, "seq")[exists & ~differs["status_json"] & ~differs["uid"]]
        yield ReconcileEvidence(
            first_seq=segment.first_seq,
            at_us=at_us,
            facts=sorted(facts, key=itemgetter(0)),
            keys=keys,
            key=key,
            seq=seq,
            repeated=repeated,
            texts=texts,
        )


def _tables(folder: Path, segment: Segment) -> dict[str, pa.Table]:
    """The tables of a segment's facts. Of tables without evidence, only when their facts were seen."""
    wanted = {
        file.table: [column.name for column in TABLES[file.table].columns] if file.table in ALL_COLUMNS else TIMES
        for file in segment.files
        if file.table not in PARTS
    }
    return segment_tables(folder, segment, wanted)


class _LastRows:
    """Remembers columns of the last row of each object, from one segment to the next."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last: dict[tuple[Any, ...], Mapping[str, Any]] = {}

    def keys(self, rows: Columns) -> tuple[tuple[str, ...], Array]:
        """The objects of the rows, each as `namespace/name`, and which of them each row describes."""
        objects, key = self._objects(rows)
        return tuple("/".join(names) for names in objects), key

    def _objects(self, rows: Columns) -> tuple[list[tuple[str, ...]], Array]:
        columns = [words(rows, name) for name in self._names]
        codes = np.stack([column.codes for column in columns])
        distinct, key = np.unique(codes, axis=1, return_inverse=True)
        objects = [
            tuple(column.words[code] for column, code in zip(columns, codes_of_object, strict=True))
            for codes_of_object in distinct.T.tolist()
        ]
        return objects, key.reshape(-1).astype(np.int64)

    def differs(self, rows: Columns, names: Sequence[str]) -> dict[str, Array]:
        """Where each of some columns differs from the object's row before. Its first row differs in all."""
        objects, key = self._objects(rows)
        order = np.lexsort([_codes(rows, "seq"), key])
        first = np.ones(len(order), bool)
        first[1:] = key[order][1:] != key[order][:-1]
        last = np.roll(first, -1)
        differs, last_rows = {}, [dict[str, Any]() for _ in objects]
        for name in names:
            column = rows[name]
            codes, texts = _codes(rows, name)[order], column.words if isinstance(column, Words) else None
            changed = np.ones(len(order), bool)
            changed[1:] = codes[1:] != codes[:-1]
            for begin, end, index in zip(
                np.flatnonzero(first).tolist(), np.flatnonzero(last).tolist(), key[order][first].tolist(), strict=True
            ):
                before = self._last.get(objects[index])
                changed[begin] = before is None or before[name] != _value(codes[begin], texts)
                last_rows[index][name] = _value(codes[end], texts)
            differs[name] = np.empty(len(order), bool)
            differs[name][order] = changed
        self._last.update(zip(objects, last_rows, strict=True))
        return differs


def _value(code: Any, texts: Sequence[str] | None) -> Any:
    return int(code) if texts is None else None if code < 0 else texts[code]


def _facts(table: str, rows: pa.Table) -> Iterator[tuple[int, Fact]]:
    columns = [to_python(rows.column(column.name)) for column in TABLES[table].columns]
    return (single_row_facts.to_fact(table, row) for row in zip(*columns, strict=True))


def _codes(rows: Columns, name: str) -> Array:
    column = rows[name]
    return column.codes if isinstance(column, Words) else column.values
