"""Reads what one HPA's reconciles near an instant may have seen, without the rest of a fleet."""

from collections.abc import Collection, Iterator, Sequence
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
from hpaaudit.recording.reading.segment import LINES, POLLED, DamagedFile, segment_table

EVERYWHERE = ("controllers", "leases", "versions")
"""What is no namespace's."""

WITHIN = ("hpas", "pods", "targets", "events", "scale_writes", "status_writes", LINES)

NAMESPACE = {"events": "object_namespace"}
"""The column that says of which namespace a row is, where it is called otherwise."""


def read_facts_of_hpa(
    folder: Path, segments: Sequence[Segment], namespace: str, name: str, since_us: Micros, before: Collection[str]
) -> Iterator[Fact]:
    """Yield the facts of a namespace in their order, from `since_us` on all of them.

    name     of the HPA, whose lines alone are kept
    before   tables of which facts are kept that are older

    Raises `DamagedFile`.
    """
    for segment in segments:
        late = segment.last_us >= since_us
        found: list[tuple[int, Fact]] = []
        for table in (*EVERYWHERE, *(WITHIN if late else before)):
            where = {} if table in EVERYWHERE else {NAMESPACE.get(table, "namespace"): namespace}
            if table == LINES:
                where["name"] = name
            found += [fact_rows.to_fact(table, row) for row in _rows(folder, segment, table, where)]
        if late:
            parts = [_rows(folder, segment, table, {"namespace": namespace}) for table in POLLED[1:]]
            decoder = ReadDecoder(*parts)
            try:
                found += [decoder.read(row) for row in _rows(folder, segment, "reads", {"namespace": namespace})]
            except ValueError as error:
                raise DamagedFile(
                    segment, layout.MANIFEST, f"names facts that its files do not hold ({error})"
                ) from error
        yield from map(itemgetter(1), sorted(found, key=itemgetter(0)))


def _rows(folder: Path, segment: Segment, table: str, where: dict[str, str]) -> Iterator[Row]:
    """The rows of a segment's table whose columns have these words."""
    names = [column.name for column in TABLES[table].columns]
    rows = segment_table(folder, segment, table, names)
    if rows is None:
        return iter(())
    for column, word in where.items():
        rows = rows.filter(_is(rows.column(column), word))
    return zip(*(to_python(rows.column(name)) for name in names), strict=True)


def _is(column: pa.ChunkedArray, word: str) -> pa.ChunkedArray:
    """Where a column has a word, compared once per word and not once per row."""
    if not pa.types.is_dictionary(column.type):
        return pc.equal(column, word)
    return pa.chunked_array(
        [pc.equal(chunk.indices, pc.index(chunk.dictionary, word)) for chunk in column.chunks], pa.bool_()
    )
