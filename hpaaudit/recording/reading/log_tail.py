"""Reads the log of a recording that was not ended: the facts of the segment that is not sealed yet."""

from dataclasses import dataclass

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.counted import counted
from hpaaudit.model.inspection import Damage
from hpaaudit.recording.encoding.log_content import LogContent, read_frames
from hpaaudit.recording.encoding.parquet import MAX_REASON_CHARS, sorted_rows
from hpaaudit.recording.encoding.row_buffer import tables_of_rows
from hpaaudit.recording.files import layout
from hpaaudit.recording.format.manifest import File, Link, Segment, sha256_of
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.reading.newest_log import LogFile
from hpaaudit.recording.validation.check_rows import numbering_problem, table_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What follows the last segment.

    segment   the facts of the log, as if they were sealed; None if there are none
    torn      bytes at the end of the log that are no whole frame
    """

    segment: Segment | None
    damage: Damage | None
    torn: int


def read_tail(log: LogFile, link: Link | None) -> Tail:
    """The content of a log. `link` is what it must continue, None if unknown."""
    name = layout.log_name(log.number)
    try:
        content = read_log(log, link)
        segment = _segment(content, log.number, sha256_of(log.data[: content.sound])) if content.facts else None
    except (ValueError, KeyError, msgspec.DecodeError, pa.ArrowException, OverflowError, TypeError) as error:
        problem = " ".join(str(error).split())[:MAX_REASON_CHARS] or "cannot be read"
        return Tail(segment=None, damage=Damage(segment=log.number, file=name, problem=problem), torn=0)
    damage = None
    if content.problem:
        problem = content.problem
        if content.facts_after_damage:
            problem += f"; after that it has {counted(content.facts_after_damage, 'undamaged fact')}"
        # The facts before the damage can be read as this segment, so the damage counts as one of the next segment.
        damage = Damage(segment=log.number + bool(segment), file=name, problem=problem)
    return Tail(segment=segment, damage=damage, torn=content.torn)


def read_log(log: LogFile, link: Link | None) -> LogContent:
    """The frames of a log. `link` as in `read_tail`. Raises `ValueError` if it continues something else."""
    content = read_frames(log.data, (log.number, *link) if link else None)
    named = (content.number, content.previous, content.first_seq)
    if content.number is not None and named != (log.number, *(link or named[1:])):
        raise ValueError("does not continue the segment before it")
    return content


def _segment(content: LogContent, number: int, sha256: str) -> Segment:
    """The facts of a log as a segment. Raises `ValueError` or `KeyError` if its writer made them wrong."""
    unsorted = tables_of_rows(content.rows())
    tables = {name: sorted_rows(TABLES[name], rows).combine_chunks() for name, rows in unsorted.items()}
    facts = [rows for name, rows in tables.items() if name not in PARTS]
    if not facts:
        raise ValueError("holds rows of no fact")
    for name, rows in tables.items():
        problem = table_problem(TABLES[name], rows, content.first_seq, content.facts)
        if problem:
            raise ValueError(f"{problem}, in {name}")
    problem = numbering_problem((rows.column("seq") for rows in facts), content.first_seq, content.facts)
    if problem:
        raise ValueError(problem)
    times = [pc.min_max(rows.column("at_us")).as_py() for rows in facts]
    return Segment(
        number=number,
        first_seq=content.first_seq,
        facts=content.facts,
        first_us=min(time["min"] for time in times),
        last_us=max(time["max"] for time in times),
        files=tuple(File(table=name, rows=rows.num_rows, bytes=0, sha256="") for name, rows in tables.items()),
        previous=content.previous,
        sha256=sha256,
        log_tables=tables,
    )
