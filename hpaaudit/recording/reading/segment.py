"""Reads one segment: its files, each checked against the manifest, and its facts in their order."""

import errno
import gc
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from hpaaudit.model.facts import Fact
from hpaaudit.model.inspection import Damage
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.parquet import BadParquetFile, read_table, to_python
from hpaaudit.recording.encoding.read_rows import ReadDecoder
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_exactly
from hpaaudit.recording.format.columns import Row
from hpaaudit.recording.format.manifest import File, Segment, sha256_of
from hpaaudit.recording.format.reader_limits import SEGMENT_BYTES
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.validation.table import numbering_problem, table_problem

POLLED = ("reads", *PARTS)
LINES = "reconciles"


class DamagedFile(Exception):
    """A file is not what was written, or the disk did not give it; the callers of this room see `DamagedRecording`."""

    def __init__(self, segment: Segment, file: str, problem: str, *, refused: bool = False) -> None:
        path = f"{segment.folder}/{file}"
        super().__init__(f"{path} {problem}")
        self.damage = Damage(segment=segment.number, file=path, problem=problem, refused=refused)

    def require_damage(self) -> None:
        """Raise `OSError` where the disk did not give the file: it may be sound, and is not to be given up."""
        if self.damage.refused:
            raise OSError(errno.EIO, str(self)) from self


def file_bytes(folder: Path, segment: Segment, file: File) -> bytes:
    """Return the bytes of a table's file, which are those that were written; raises `DamagedFile`."""
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


def segment_table(folder: Path, segment: Segment, table: str, names: Sequence[str]) -> pa.Table | None:
    """Return columns of a segment's table, None where the segment has no rows for it; raises `DamagedFile`.

    What they hold is what this format allows: types, NULLs, ranges, order, and JSON of its shape.
    """
    if segment.held is not None:
        held = segment.held.get(table)
        return None if held is None else held.select(list(names))
    file = segment.file(table)
    if file is None:
        return None
    data = file_bytes(folder, segment, file)
    try:
        found = read_table(TABLES[table], data, names, file.rows)
    except BadParquetFile as error:
        raise DamagedFile(segment, file.name, str(error)) from error
    problem = _problem(segment, file, found)
    if problem:
        raise DamagedFile(segment, file.name, problem)
    return found


def segment_tables(folder: Path, segment: Segment, wanted: Mapping[str, Sequence[str]]) -> dict[str, pa.Table]:
    """Columns of the tables of a segment that have rows.

    Raises `DamagedFile`, also where the tables take too much memory.
    """
    found, size = {}, 0
    for file in segment.files:
        if file.table in wanted:
            rows = segment_table(folder, segment, file.table, wanted[file.table])
            if rows is not None:
                found[file.table] = rows
                size += rows.nbytes
        if size > 2 * SEGMENT_BYTES:
            raise DamagedFile(
                segment, layout.MANIFEST, f"names tables that take more than {2 * SEGMENT_BYTES} bytes together"
            )
    return found


_sound: dict[tuple[str, ...], None] = {}
"""What was found sound: a replay reads some columns several times."""

_REMEMBERED = 1 << 12


def _problem(segment: Segment, file: File, found: pa.Table) -> str:
    """What is wrong with columns of a table's file."""
    span = (segment.first_us, segment.last_us)
    which = (file.sha256, str((segment.first_seq, segment.facts, span)), file.table, *found.column_names)
    if which in _sound:
        return ""
    problem = table_problem(TABLES[file.table], found, segment.first_seq, segment.facts, span)
    if not problem:
        if len(_sound) >= _REMEMBERED:
            _sound.clear()
        _sound[which] = None
    return problem


def require_numbered(folder: Path, segment: Segment) -> None:
    """Check that every number of a segment's facts stands in one row; raises `DamagedFile`."""
    found = [segment_table(folder, segment, file.table, ("seq",)) for file in segment.files if file.table not in PARTS]
    problem = numbering_problem(
        (rows.column("seq") for rows in found if rows is not None), segment.first_seq, segment.facts
    )
    if problem:
        raise DamagedFile(segment, layout.MANIFEST, problem)


def segment_columns(folder: Path, segment: Segment, table: str, names: Sequence[str]) -> list[list[Any]]:
    """Return columns of a segment's table, each empty where the segment has no rows for it; raises `DamagedFile`."""
    found = segment_table(folder, segment, table, names)
    return [[] for _ in names] if found is None else [to_python(found.column(name)) for name in names]


def segment_rows(folder: Path, segment: Segment, table: str) -> Iterator[Row]:
    """Return the rows of a segment's table as they stand in its file; raises `DamagedFile`."""
    names = [column.name for column in TABLES[table].columns]
    return zip(*segment_columns(folder, segment, table, names), strict=True)


def read_facts(folder: Path, segment: Segment) -> list[Fact]:
    """Return the facts of a segment in the order in which they were added; raises `DamagedFile`."""
    try:
        with _collector_paused():
            facts = dict(_numbered(folder, segment))
        return [facts[seq] for seq in range(segment.first_seq, segment.first_seq + segment.facts)]
    except (ValueError, KeyError, RecursionError) as error:
        # Every file is what was written, so they were written wrong: say so rather than replay something else.
        raise DamagedFile(segment, layout.MANIFEST, f"names facts that its files do not hold ({error})") from error


def read_watched(folder: Path, segment: Segment, tables: Collection[str] | None) -> list[Fact]:
    """Return the facts of a segment but its reads and its lines of reconciles, in their order; raises `DamagedFile`.

    tables   of which, None: of all
    """
    without: tuple[str, ...] = (*POLLED, LINES)
    if tables is not None:
        without = (*without, *(file.table for file in segment.files if file.table not in tables))
    with _collector_paused():
        return [fact for _, fact in sorted(_watched(folder, segment, without), key=itemgetter(0))]


def _watched(folder: Path, segment: Segment, without: Collection[str]) -> Iterator[tuple[int, Fact]]:
    """Yield the facts of a segment that are one row each, but those of some tables, table by table."""
    for file in segment.files:
        if file.table not in without:
            for row in segment_rows(folder, segment, file.table):
                yield fact_rows.to_fact(file.table, row)


def _numbered(folder: Path, segment: Segment) -> Iterator[tuple[int, Fact]]:
    """Yield the facts of a segment, each with its number, table by table."""
    yield from _watched(folder, segment, POLLED)
    polled = ReadDecoder(segment_rows(folder, segment, "samples"), segment_rows(folder, segment, "metric_values"))
    for row in segment_rows(folder, segment, "reads"):
        yield polled.read(row)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Stop the cycle collector meanwhile: facts have no cycles, and looking for some took twice their making."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
