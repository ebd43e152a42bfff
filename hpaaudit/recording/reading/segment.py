"""Reads one segment: tables, each checked against the manifest and the format, and facts in their order."""

import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from hpaaudit.model.facts import Fact
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.parquet import EVERY_ROW, BadParquetFile, equals, read_table, to_python
from hpaaudit.recording.encoding.read_rows import ReadDecoder
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_exactly
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.manifest import File, Segment, sha256_of
from hpaaudit.recording.format.reader_limits import SEGMENT_BYTES
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.validation.check_rows import numbering_problem, table_problem

POLLED = ("reads", *PARTS)
RECONCILES = "reconciles"


def file_bytes(folder: Path, segment: Segment, file: File) -> bytes:
    """The bytes of a table's file. Raises `DamagedFile` unless they are those that were written."""
    try:
        data = read_exactly(folder, f"{segment.folder}/{file.name}", file.bytes)
    except OSError as error:
        refused = not isinstance(error, FileNotFoundError)
        raise DamagedFile(segment, file.name, f"cannot be read ({error.strerror})", refused=refused) from error
    except ValueError as error:
        raise DamagedFile(segment, file.name, str(error)) from error
    if sha256_of(data) != file.sha256:
        raise DamagedFile(segment, file.name, "differs from what was written, by its SHA-256")
    return data


def segment_table(
    folder: Path, segment: Segment, table: str, names: Sequence[str], where: Mapping[str, str] = EVERY_ROW
) -> pa.Table | None:
    """Columns of a segment's table, None if the segment has no rows for it.

    where   only rows in which these columns have these values. Only they are compared with the format; the checksum is
            that of the whole file

    Raises `DamagedFile`, also if they hold what the format does not allow: types, NULLs, ranges, order, JSON.
    """
    if segment.log_tables is not None:
        logged = segment.log_tables.get(table)
        return None if logged is None else rows_where(logged.select(list(names)), where)
    file = segment.file(table)
    if file is None:
        return None
    data = file_bytes(folder, segment, file)
    try:
        rows = read_table(TABLES[table], data, names, file.rows, where)
    except BadParquetFile as error:
        raise DamagedFile(segment, file.name, str(error)) from error
    if where and not rows.num_rows:
        return None
    problem = _problem(segment, file, rows, where)
    if problem:
        raise DamagedFile(segment, file.name, problem)
    return rows


def segment_tables(folder: Path, segment: Segment, wanted: Mapping[str, Sequence[str]]) -> dict[str, pa.Table]:
    """The wanted columns of each table of a segment that has rows.

    Raises `DamagedFile`, also if the tables take too much memory.
    """
    tables, size = {}, 0
    for file in segment.files:
        if file.table in wanted:
            rows = segment_table(folder, segment, file.table, wanted[file.table])
            if rows is not None:
                tables[file.table] = rows
                size += rows.nbytes
        if size > 2 * SEGMENT_BYTES:
            problem = f"names tables that take more than {2 * SEGMENT_BYTES} bytes together"
            raise DamagedFile(segment, layout.MANIFEST, problem)
    return tables


def rows_where(rows: pa.Table, where: Mapping[str, str]) -> pa.Table:
    """The rows in which these columns have these values."""
    for name, value in where.items():
        rows = rows.filter(equals(rows.column(name), value))
    return rows


_checked: dict[tuple[str, ...], None] = {}
"""The columns that were checked and are sound: a replay reads some columns several times."""

_MAX_CHECKED = 1 << 12


def _problem(segment: Segment, file: File, rows: pa.Table, where: Mapping[str, str]) -> str:
    """What is wrong with columns of a table's file. Empty if nothing is."""
    span = (segment.first_us, segment.last_us)
    key = (file.sha256, str((segment.first_seq, segment.facts, span)), file.table, str(where), *rows.column_names)
    if key in _checked:
        return ""
    problem = table_problem(TABLES[file.table], rows, segment.first_seq, segment.facts, span)
    if not problem:
        if len(_checked) >= _MAX_CHECKED:
            _checked.clear()
        _checked[key] = None
    return problem


def require_numbered(folder: Path, segment: Segment) -> None:
    """Raises `DamagedFile` unless each sequence number of a segment belongs to one row."""
    columns = [
        segment_table(folder, segment, file.table, ("seq",)) for file in segment.files if file.table not in PARTS
    ]
    seqs = (rows.column("seq") for rows in columns if rows is not None)
    problem = numbering_problem(seqs, segment.first_seq, segment.facts)
    if problem:
        raise DamagedFile(segment, layout.MANIFEST, problem)


def segment_columns(folder: Path, segment: Segment, table: str, names: Sequence[str]) -> list[list[Any]]:
    """Columns of a segment's table as Python values, empty if it has no rows. Raises `DamagedFile`."""
    rows = segment_table(folder, segment, table, names)
    return [[] for _ in names] if rows is None else [to_python(rows.column(name)) for name in names]


def segment_rows(folder: Path, segment: Segment, table: str) -> Iterator[Row]:
    """The rows of a segment's table, in the order of its file. Raises `DamagedFile`."""
    names = [column.name for column in TABLES[table].columns]
    return zip(*segment_columns(folder, segment, table, names), strict=True)


def read_facts(folder: Path, segment: Segment) -> list[Fact]:
    """The facts of a segment, in the order in which they were recorded. Raises `DamagedFile`."""
    try:
        with garbage_collector_paused():
            facts = dict(_numbered_facts(folder, segment))
        return [facts[seq] for seq in range(segment.first_seq, segment.first_seq + segment.facts)]
    except (ValueError, KeyError, RecursionError) as error:
        # The checksums match, so a writer made them wrong. Stop, rather than replay something else.
        raise DamagedFile(segment, layout.MANIFEST, f"names facts that its files do not hold ({error})") from error


def read_watched(folder: Path, segment: Segment, tables: Collection[str] | None) -> list[Fact]:
    """The facts of a segment without reads and reconciles, in their order. Raises `DamagedFile`.

    tables   only of these; None: of all
    """
    without: tuple[str, ...] = (*POLLED, RECONCILES)
    if tables is not None:
        without = (*without, *(file.table for file in segment.files if file.table not in tables))
    with garbage_collector_paused():
        return [fact for _, fact in sorted(_single_row_facts(folder, segment, without), key=itemgetter(0))]


def _single_row_facts(folder: Path, segment: Segment, without: Collection[str]) -> Iterator[tuple[int, Fact]]:
    """Yields the facts that are one row each, with their numbers, table by table. `without` names tables."""
    for file in segment.files:
        if file.table not in without:
            for row in segment_rows(folder, segment, file.table):
                yield single_row_facts.to_fact(file.table, row)


def _numbered_facts(folder: Path, segment: Segment) -> Iterator[tuple[int, Fact]]:
    """Yields all facts of a segment with their numbers, table by table."""
    yield from _single_row_facts(folder, segment, POLLED)
    decoder = ReadDecoder(segment_rows(folder, segment, "samples"), segment_rows(folder, segment, "metric_values"))
    for row in segment_rows(folder, segment, "reads"):
        yield decoder.read(row)


@contextmanager
def garbage_collector_paused() -> Iterator[None]:
    """Pauses the cycle collector: facts have no cycles, and looking for some took twice as long as making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
