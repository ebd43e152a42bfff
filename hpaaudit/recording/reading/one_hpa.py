"""Reads the facts that the reconciles of one HPA depend on, without the rest of a fleet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.encoding.read_rows import ReadDecoder
from hpaaudit.recording.files import layout
from hpaaudit.recording.format.columns import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.segment import POLLED, RECONCILES, DamagedFile, segment_table

CLUSTER_WIDE = ("controllers", "leases", "versions")

NAMESPACED = (
    "hpas",
    "pods",
    "targets",
    "events",
    "scale_writes",
    "status_writes",
    "pod_lists",
    "heapster_reads",
    RECONCILES,
)

NAMESPACE_COLUMN = {"events": "object_namespace"}
"""The column with the namespace, for tables in which it is not `namespace`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaSelection:
    """Which facts are read.

    namespace      all facts of this namespace from `since_us` on
    name           of the HPA: only its own lines of `reconciles`
    since_us       when the first reconcile begins
    older_tables   tables of which older facts are read too
    """

    namespace: str
    name: str
    since_us: Micros
    older_tables: tuple[str, ...]


def read_facts_of_hpa(folder: Path, segments: Sequence[Segment], selection: HpaSelection) -> Iterator[Fact]:
    """Yield the selected facts, in their order. Raises `DamagedFile`."""
    in_namespace = {"namespace": selection.namespace}
    for segment in segments:
        is_recent = segment.last_us >= selection.since_us
        facts: list[tuple[int, Fact]] = []
        for table in (*CLUSTER_WIDE, *(NAMESPACED if is_recent else selection.older_tables)):
            where = {}
            if table not in CLUSTER_WIDE:
                where[NAMESPACE_COLUMN.get(table, "namespace")] = selection.namespace
            if table == RECONCILES:
                where["name"] = selection.name
            facts += [fact_rows.to_fact(table, row) for row in _rows(folder, segment, table, where)]
        if is_recent:
            decoder = ReadDecoder(*(_rows(folder, segment, table, in_namespace) for table in POLLED[1:]))
            try:
                facts += [decoder.read(row) for row in _rows(folder, segment, "reads", in_namespace)]
            except ValueError as error:
                problem = f"names facts that its files do not hold ({error})"
                raise DamagedFile(segment, layout.MANIFEST, problem) from error
        yield from map(itemgetter(1), sorted(facts, key=itemgetter(0)))


def _rows(folder: Path, segment: Segment, table: str, where: dict[str, str]) -> Iterator[Row]:
    """The rows of a segment's table whose columns have the values in `where`."""
    names = [column.name for column in TABLES[table].columns]
    rows = segment_table(folder, segment, table, names)
    if rows is None:
        return iter(())
    for name, value in where.items():
        rows = rows.filter(_equals(rows.column(name), value))
    return zip(*(to_python(rows.column(name)) for name in names), strict=True)


def _equals(column: pa.ChunkedArray, value: str) -> pa.ChunkedArray:
    """Where a column has a value. A dictionary is searched once, not once per row."""
    if not pa.types.is_dictionary(column.type):
        return pc.equal(column, value)
    return pa.chunked_array(
        [pc.equal(chunk.indices, pc.index(chunk.dictionary, value)) for chunk in column.chunks], pa.bool_()
    )
