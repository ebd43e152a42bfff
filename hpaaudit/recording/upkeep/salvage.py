"""Reads what is undamaged in a log or segment: the facts, and a gap for what is lost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from hpaaudit.model.counted import counted
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.frames import Frame, RowsByTable
from hpaaudit.recording.encoding.log_content import LogContent
from hpaaudit.recording.encoding.read_rows import RESOURCE, SCALE, VALUES, ReadDecoder
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import ALL_PATHS, PARTS, TABLES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.segment import POLLED, file_bytes, read_facts, segment_rows

PATHS_OF_TABLE: dict[str, tuple[str, ...]] = {
    "hpas": ("/apis/autoscaling/",),
    "pods": ("/api/v1/pods",),
    "targets": ("/apis/apps",),
    "rollouts": ("/apis/apps#writers",),
    "scaled_objects": ("/apis/keda.sh/v1alpha1/scaledobjects",),
    "api_services": ("/apis/apiregistration.k8s.io/v1/apiservices",),
    "surroundings": ("/api/v1/nodes",),
    "events": ("/api/v1/events",),
    "leases": ("/apis/coordination.k8s.io/v1/leases",),
    "reads": ("/apis/apps", "/apis/metrics.k8s.io", "/apis/custom.metrics.k8s.io", "/apis/external.metrics.k8s.io"),
    "samples": ("/apis/metrics.k8s.io",),
    "metric_values": ("/apis/custom.metrics.k8s.io", "/apis/external.metrics.k8s.io"),
}
"""API paths of the gap for a damaged table. For tables that are not named, the gap covers all paths."""
STATES = ("hpas", "pods", "targets", "rollouts", "scaled_objects", "api_services", "surroundings")
"""Tables that have a row only when an object changes: a lost row is missing until everything is listed again."""

WRONG = (ValueError, KeyError, TypeError, IndexError, OverflowError)
"""Raised by rows that have the right checksum, but that no writer of this format makes."""

_ITEM_COLUMNS = {
    table: [
        [column.name for column in TABLES[table].columns].index(name) for name in (key, "occurrence", "place", "gone")
    ]
    for table, key in (("samples", "pod"), ("metric_values", "object"))
}
_STREAM = slice(3, 13)  # in a row of `reads`: the columns in which reads of one stream agree
_ITEMS = [column.name for column in TABLES["reads"].columns].index("items")
_PATH = [column.name for column in TABLES["reads"].columns].index("path")
_KIND = [column.name for column in TABLES["reads"].columns].index("kind")


@dataclass(slots=True)
class Salvage:
    """The facts that can be read, and the gaps between them, in their order.

    kept   number of facts that can be read
    lost   number of facts that cannot
    """

    facts: list[Fact] = field(default_factory=list)
    kept: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Facts with nothing missing between them.

    lost_before   number of facts that are missing before them
    unknown       path and time of each read whose answer cannot be known
    """

    lost_before: int
    facts: tuple[Fact, ...]
    unknown: tuple[tuple[str, Micros], ...]


def from_log(content: LogContent, since_us: Micros) -> Salvage:
    """The facts of all sound frames of a log. `since_us` is the last instant before them."""
    salvage, last_us, first_lost_us = Salvage(), since_us, None
    for run in _runs(content):
        if run.lost_before:
            until_us = max(last_us, min(fact.at_us for fact in run.facts))
            cause = f"the log is damaged: {counted(run.lost_before, 'fact')} lost"
            salvage.facts.append(_gap(last_us, until_us, ALL_PATHS, cause))
            salvage.lost += run.lost_before
            first_lost_us = until_us if first_lost_us is None else first_lost_us
        salvage.facts += run.facts
        salvage.kept += len(run.facts)
        salvage.lost += len(run.unknown)
        for prefix, at_us in dict(run.unknown).items():  # the last of each path
            salvage.facts.append(
                _gap(last_us, max(last_us, at_us), prefix, "the answer before it in the log is damaged")
            )
        last_us = max([last_us, *(fact.at_us for fact in run.facts)])
    if first_lost_us is not None and last_us > first_lost_us:
        salvage.facts += until_listed(STATES, first_lost_us, last_us)
    if content.end_is_missing:
        cause = "the end of the log is damaged: what it held is unknown"
        salvage.facts.append(_gap(last_us, last_us, ALL_PATHS, cause))
    return salvage


def until_listed(tables: Iterable[str], from_us: Micros, until_us: Micros) -> list[Fact]:
    """Gaps of the objects in `tables`, from the damage to the next time that everything was listed."""
    cause = "changes may be among the damaged facts, until everything was listed again"
    return [_gap(from_us, until_us, prefix, cause) for table in tables for prefix in PATHS_OF_TABLE[table]]


def _gap(at_us: Micros, until_us: Micros, prefix: str, cause: str) -> Gap:
    return Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)


def _runs(content: LogContent) -> Iterator[_Run]:
    """Yields the facts of a log in runs, cut where something is missing."""
    frames: list[tuple[Frame, RowsByTable]] = []
    expected = next_seq = content.first_seq
    for frame in content.frames:
        rows = _rows_of(frame)
        if rows is None:
            continue
        if frames and frame.first_seq != next_seq:
            yield _run(frames, frames[0][0].first_seq - expected)
            expected, frames = next_seq, []
        frames.append((frame, rows))
        next_seq = frame.first_seq + frame.facts
    if frames:
        yield _run(frames, frames[0][0].first_seq - expected)


def _rows_of(frame: Frame) -> RowsByTable | None:
    """The rows of a frame. None if they are not those of its facts, so its writer made it wrong."""
    try:
        rows = frame.rows()
    except ValueError:
        return None
    if any(table not in TABLES or any(len(row) != len(TABLES[table].columns) for row in rows[table]) for table in rows):
        return None
    seqs = sorted(row[0] for table, its_rows in rows.items() if table not in PARTS for row in its_rows)
    return rows if seqs == list(range(frame.first_seq, frame.first_seq + frame.facts)) else None


def _run(frames: Sequence[tuple[Frame, RowsByTable]], lost_before: int) -> _Run:
    """The facts of frames that follow each other."""
    facts: list[tuple[int, Fact]] = []
    answers = _Answers()
    for frame, rows in frames:
        for table, its_rows in rows.items():
            if table not in POLLED:
                facts += [single_row_facts.to_fact(table, row) for row in its_rows]
        answers.add(frame, rows)
    facts += answers.reads()
    facts.sort(key=itemgetter(0))
    return _Run(lost_before=lost_before, facts=tuple(fact for _, fact in facts), unknown=tuple(answers.unknown))


class _Answers:
    """Collects the reads of frames that follow each other, and completes the first answer of each stream.

    unknown   path and time of each read whose answer cannot be known
    """

    def __init__(self) -> None:
        self.unknown: list[tuple[str, Micros]] = []
        self._reads: list[Row] = []
        self._items: dict[str, list[Row]] = {table: [] for table in _ITEM_COLUMNS}
        self._complete: set[tuple[str, ...]] = set()

    def add(self, frame: Frame, rows: RowsByTable) -> None:
        """Adds the reads of a frame."""
        changed = {table: _by_seq(rows.get(table, ())) for table in _ITEM_COLUMNS}
        unchanged: dict[str, dict[int, list[Row]]] = {}
        for read in rows.get("reads", ()):
            seq, stream, table = read[0], tuple(read[_STREAM]), _table_of(read)
            answer = changed[table].get(seq, []) if table else []
            if table and read[_ITEMS] is not None and stream not in self._complete:
                unchanged = unchanged or {name: _by_seq(_unchanged(frame).get(name, ())) for name in _ITEM_COLUMNS}
                complete = _complete_answer(table, answer, unchanged[table].get(seq, []), read[_ITEMS])
                if complete is None:
                    self.unknown.append((read[_PATH].partition("?")[0], read[1]))
                    continue
                answer = complete
                self._complete.add(stream)
            self._reads.append(read)
            if table:
                self._items[table] += answer

    def reads(self) -> Iterator[tuple[int, Fact]]:
        """Yields the reads whose answers are known, each with its number."""
        decoder = ReadDecoder(self._items["samples"], self._items["metric_values"])
        for read in self._reads:
            yield decoder.read(read)


def _unchanged(frame: Frame) -> RowsByTable:
    try:
        return frame.unchanged()
    except ValueError:
        return {}


def _by_seq(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """Rows by the number of their read."""
    by_seq: dict[int, list[Row]] = {}
    for row in rows:
        by_seq.setdefault(row[0], []).append(row)
    return by_seq


def _table_of(read: Row) -> str:
    """The table with the items of a read, empty if it has none."""
    return {RESOURCE: "samples", VALUES: "metric_values", SCALE: ""}.get(read[_KIND], "")


def _complete_answer(table: str, changed: Sequence[Row], unchanged: Sequence[Row], items: int) -> list[Row] | None:
    """All items of an answer, each with its place, without the answer before. None if items are missing.

    Changed items without a place are in their order, and fill the places that the others leave.
    """
    key, occurrence, position, gone = _ITEM_COLUMNS[table]
    by_item: dict[tuple[str, int], list[Row]] = {}
    for row in (*changed, *unchanged):
        if not row[gone]:
            by_item.setdefault((row[key], row[occurrence]), []).append(row)
    if len(by_item) != items:
        return None
    order: list[list[Row] | None] = [None] * items
    for rows in by_item.values():
        index = rows[0][position]
        if index is not None:
            if not 0 <= index < items or order[index] is not None:
                return None
            order[index] = rows
    rest = iter([rows for rows in by_item.values() if rows[0][position] is None])
    placed = [rows if rows is not None else next(rest) for rows in order]
    return [(*row[:position], index, *row[position + 1 :]) for index, rows in enumerate(placed) for row in rows]


def damaged_tables(folder: Path, segment: Segment, *, deep: bool = True) -> list[str]:
    """The tables of a segment whose files differ from what was written; all, if they do not make its facts.

    Raises `OSError` if the disk does not give a file, unless `deep`.
    """
    damaged = []
    for file in segment.files:
        try:
            file_bytes(folder, segment, file)
        except DamagedFile as error:
            if not deep:
                error.require_damage()
            damaged.append(file.table)
    if not damaged:
        try:
            read_facts(folder, segment)
        except DamagedFile as error:
            error.require_damage()  # the disk gave it just now, so this is no damage
            return [file.table for file in segment.files]
    return damaged


def from_segment(folder: Path, segment: Segment, damaged: Sequence[str], until_us: Micros) -> Salvage:
    """The facts of a segment that are not in damaged files.

    until_us   when everything was listed again after the segment

    Raises `OSError` if the disk does not give a file that it gave just now.
    """
    facts: list[tuple[int, Fact]] = []
    try:
        facts = list(_sound_facts(folder, segment, damaged))
    except (*WRONG, DamagedFile) as error:
        if isinstance(error, DamagedFile):
            error.require_damage()
        damaged = [file.table for file in segment.files]
    lost = segment.facts - len(facts)
    first_us, last_us = segment.first_us, segment.last_us
    cause = f"files of the segment are damaged: {', '.join(damaged)}"
    prefixes = {prefix for table in damaged for prefix in PATHS_OF_TABLE.get(table, (ALL_PATHS,))}
    gaps: list[Fact] = [_gap(first_us, last_us, prefix, cause) for prefix in sorted(prefixes)]
    if until_us > last_us:
        gaps += until_listed([table for table in STATES if table in damaged], last_us, until_us)
    if len(gaps) > lost:  # more gaps than free sequence numbers: one gap for all
        gaps = [_gap(first_us, max(last_us, until_us), ALL_PATHS, cause)]
    ordered = [fact for _, fact in sorted(facts, key=itemgetter(0))]
    # A gap that begins after the facts comes after them: else their times would go back behind its own.
    early, late = ([gap for gap in gaps if (gap.at_us <= first_us) is is_early] for is_early in (True, False))
    return Salvage(facts=[*early, *ordered, *late], kept=len(ordered), lost=lost)


def _sound_facts(folder: Path, segment: Segment, damaged: Sequence[str]) -> Iterator[tuple[int, Fact]]:
    """Yields the facts in sound files, each with its number. Raises `DamagedFile` or one of `WRONG`."""
    sound = [file.table for file in segment.files if file.table not in damaged]
    for table in sound:
        if table not in POLLED:
            for row in segment_rows(folder, segment, table):
                yield single_row_facts.to_fact(table, row)
    if "reads" not in sound:
        return
    decoder = ReadDecoder(
        *(segment_rows(folder, segment, table) if table in sound else () for table in ("samples", "metric_values"))
    )
    for row in segment_rows(folder, segment, "reads"):
        if row[_ITEMS] is None or _table_of(row) not in damaged:
            yield decoder.read(row)
