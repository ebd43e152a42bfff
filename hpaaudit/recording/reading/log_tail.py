"""Reads the log of a recording that was not ended: the facts of a segment that nobody has sealed yet."""

import re
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.model.inspection import Damage
from hpaaudit.recording.encoding import frames
from hpaaudit.recording.encoding.parquet import LONGEST_REASON, sorted_rows
from hpaaudit.recording.encoding.row_buffer import tables_of_rows
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_at_most
from hpaaudit.recording.format.manifest import File, Segment, sha256_of
from hpaaudit.recording.format.reader_limits import LOG_BYTES
from hpaaudit.recording.format.schema import PARTS, TABLES
from hpaaudit.recording.validation.table import numbering_problem, table_problem

_NUMBER = re.compile("[0-9]{6,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """The newest log of a recording as it stood at one instant."""

    number: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """What stands behind the last segment.

    segment   its facts, as if it were sealed; None where there is none
    torn      bytes behind them that are no whole frame
    """

    segment: Segment | None
    damage: Damage | None
    torn: int


def newest_log(folder: Path) -> LogFile | None:
    """Return the log of the highest number, None where there is none.

    Raises `OSError`, and `ValueError` where it is no regular file of the size of a log.
    """
    logs = folder / layout.LOGS
    names = (
        [path.name.removesuffix(layout.LOG_SUFFIX) for path in logs.glob(f"*{layout.LOG_SUFFIX}")]
        if logs.is_dir()
        else []
    )
    number = max((int(name) for name in names if _NUMBER.fullmatch(name)), default=None)
    if number is None:
        return None
    try:
        return LogFile(number=number, data=read_at_most(folder, layout.log_name(number), LOG_BYTES))
    except FileNotFoundError:  # its segment has just been sealed
        return None


def read_tail(log: LogFile, before: tuple[str, int] | None) -> Tail:
    """Return what a log holds; `before`: hash and number of facts that it continues, None where unknown."""
    name = layout.log_name(log.number)
    try:
        found = read_log(log, before)
        segment = segment_of(found, log.number, sha256_of(log.data[: found.sound])) if found.facts else None
    except (ValueError, KeyError, msgspec.DecodeError, pa.ArrowException, OverflowError, TypeError) as error:
        problem = " ".join(str(error).split())[:LONGEST_REASON] or "cannot be read"
        return Tail(segment=None, damage=Damage(segment=log.number, file=name, problem=problem), torn=0)
    damage = None
    if found.problem:
        # What stands before it can be read: so it is what follows that is damaged.
        problem = f"{found.problem}; {found.beyond} facts behind that are sound" if found.beyond else found.problem
        damage = Damage(segment=log.number + bool(segment), file=name, problem=problem)
    return Tail(segment=segment, damage=damage, torn=found.torn)


def read_log(log: LogFile, before: tuple[str, int] | None) -> frames.Found:
    """Return what a log holds; `before` as in `read_tail`. Raises `ValueError` where it is of something else."""
    found = frames.read_frames(log.data, (log.number, *before) if before else None)
    says = (found.number, found.previous, found.first_seq)
    if found.number is not None and says != (log.number, *(before or says[1:])):
        raise ValueError("does not continue the segment before it")
    return found


def segment_of(found: frames.Found, number: int, sha256: str) -> Segment:
    """Return the facts of a log as a segment; raises `ValueError` or `KeyError` where they were written wrong."""
    held = {
        name: sorted_rows(TABLES[name], rows).combine_chunks() for name, rows in tables_of_rows(found.rows()).items()
    }
    facts = [rows for name, rows in held.items() if name not in PARTS]
    if not facts:
        raise ValueError("holds rows of no fact")
    for name, rows in held.items():
        problem = table_problem(TABLES[name], rows, found.first_seq, found.facts)
        if problem:
            raise ValueError(f"{problem}, in {name}")
    problem = numbering_problem((rows.column("seq") for rows in facts), found.first_seq, found.facts)
    if problem:
        raise ValueError(problem)
    times = [pc.min_max(rows.column("at_us")).as_py() for rows in facts]
    return Segment(
        number=number,
        first_seq=found.first_seq,
        facts=found.facts,
        first_us=min(time["min"] for time in times),
        last_us=max(time["max"] for time in times),
        files=tuple(File(table=name, rows=rows.num_rows, bytes=0, sha256="") for name, rows in held.items()),
        previous=found.previous,
        sha256=sha256,
        held=held,
    )
