"""Reads the facts that the reconciles of one HPA depend on, without the rest of a fleet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.parquet import to_python
from hpaaudit.recording.encoding.read_rows import ReadDecoder
from hpaaudit.recording.files import layout
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.segment import (
    POLLED,
    RECONCILES,
    garbage_collector_paused,
    segment_table,
)

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


KeptTables = dict[tuple[int, str], pa.Table | None]
"""The rows of a namespace in a segment's table, by the number of the segment and the table; None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaSelection:
    """Which facts are read.

    namespace      all facts of this namespace from `since_us` on
    name           of the HPA: only its own lines of `reconciles`
    since_us       when the first reconcile begins
    until_us       no later answer to a poll is read; None: all
    older_tables   tables of which older facts are read too
    kept           tables that were read before, by segment: of the next selection in the same namespace they are not
                   read again
    """

    namespace: str
    name: str
    since_us: Micros
    until_us: Micros | None
    older_tables: tuple[str, ...]
    kept: KeptTables


def read_facts_of_hpa(folder: Path, segments: Sequence[Segment], selection: HpaSelection) -> Iterator[Fact]:
    """Yields the selected facts, in their order. Raises `DamagedFile`."""
    for segment in segments:
        with garbage_collector_paused():
            facts = sorted(_numbered_facts(folder, segment, selection), key=itemgetter(0))
        yield from map(itemgetter(1), facts)


def _numbered_facts(folder: Path, segment: Segment, selection: HpaSelection) -> Iterator[tuple[int, Fact]]:
    """Yields the selected facts of a segment with their numbers, table by table."""
    is_recent = segment.last_us >= selection.since_us
    for table in (*CLUSTER_WIDE, *(NAMESPACED if is_recent else selection.older_tables)):
        where = {}
        if table not in CLUSTER_WIDE:
            where[NAMESPACE_COLUMN.get(table, "namespace")] = selection.namespace
        if table == RECONCILES:
            where["name"] = selection.name
        place = (segment.number, table)
        if place not in selection.kept:
            rows = _table(folder, segment, table, where)
            if table in selection.older_tables:
                selection.kept[place] = rows
        else:
            rows = selection.kept[place]
        for row in _python_rows(rows):
            yield single_row_facts.to_fact(table, row)
    is_too_late = selection.until_us is not None and segment.first_us > selection.until_us
    if is_recent and not is_too_late:
        reads, *parts = _polled(folder, segment, selection)
        try:
            decoder = ReadDecoder(*map(_python_rows, parts))
            for row in _python_rows(reads):
                yield decoder.read(row)
        except ValueError as error:
            problem = f"names facts that its files do not hold ({error})"
            raise DamagedFile(segment, layout.MANIFEST, problem) from error


def _polled(folder: Path, segment: Segment, selection: HpaSelection) -> Iterator[pa.Table | None]:
    """The reads of the namespace and their parts, up to the first read that is too late: each row has its number."""
    cut = None
    for table in POLLED:
        rows = _table(folder, segment, table, {"namespace": selection.namespace})
        if rows is not None:
            if table == POLLED[0] and selection.until_us is not None:
                cut = pc.min(rows.filter(pc.greater(rows.column("at_us"), selection.until_us)).column("seq")).as_py()
            rows = rows if cut is None else rows.filter(pc.less(rows.column("seq"), cut))
        yield rows


def _table(folder: Path, segment: Segment, table: str, where: dict[str, str]) -> pa.Table | None:
    """The rows of a segment's table whose columns have the values in `where`, None if it has no rows."""
    return segment_table(folder, segment, table, [column.name for column in TABLES[table].columns], where)


def _python_rows(rows: pa.Table | None) -> Iterator[Row]:
    """The rows as Python values."""
    return iter(()) if rows is None else zip(*map(to_python, rows.columns), strict=True)
