"""Makes facts again from what is sound of a damaged log or segment, and says as gaps what is not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.frames import Found, Frame
from hpaaudit.recording.encoding.frames import Rows as RowsByTable
from hpaaudit.recording.encoding.read_rows import RESOURCE, SCALE, VALUES, ReadDecoder
from hpaaudit.recording.format.columns import Row
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import ALL_PATHS, PARTS, TABLES
from hpaaudit.recording.reading.segment import POLLED, DamagedFile, file_bytes, read_facts, segment_rows

SHOWN_BY: dict[str, tuple[str, ...]] = {
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
"""Paths that nobody looked at where the rows of a table are lost; those of another table hide everything."""
STATES = ("hpas", "pods", "targets", "rollouts", "scaled_objects", "api_services", "surroundings")
"""Tables that tell something only when it changes: what is lost of them is missing until everything is listed again."""

WRONG = (ValueError, KeyError, TypeError, IndexError, OverflowError)
"""What rows raise that have a right checksum and were written wrong."""

_PLACES = {
    table: [
        [column.name for column in TABLES[table].columns].index(name) for name in (key, "occurrence", "place", "gone")
    ]
    for table, key in (("samples", "pod"), ("metric_values", "object"))
}
_STREAM = slice(3, 13)  # of a row of `reads`: what reads of one stream agree in
_ITEMS = [column.name for column in TABLES["reads"].columns].index("items")
_PATH = [column.name for column in TABLES["reads"].columns].index("path")
_KIND = [column.name for column in TABLES["reads"].columns].index("kind")


@dataclass(slots=True)
class Salvage:
    """Facts and the gaps between them, in their order.

    kept   facts that were saved;  lost  that were not
    """

    facts: list[Fact] = field(default_factory=list)
    kept: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Facts with nothing missing between them.

    before   how many are missing before them;  unknown  paths of reads whose answers cannot be known, and when
    """

    before: int
    facts: tuple[Fact, ...]
    unknown: tuple[tuple[str, Micros], ...]


def from_log(found: Found, since_us: Micros) -> Salvage:
    """Return the facts of all sound frames of a log; `since_us` is the last instant before them."""
    made, last_us, first_lost_us = Salvage(), since_us, None
    for run in _runs(found):
        if run.before:
            until_us = max(last_us, min(fact.at_us for fact in run.facts))
            made.facts.append(_gap(last_us, until_us, ALL_PATHS, f"{run.before} facts of the log are damaged"))
            made.lost += run.before
            first_lost_us = until_us if first_lost_us is None else first_lost_us
        made.facts += run.facts
        made.kept += len(run.facts)
        made.lost += len(run.unknown)
        for prefix, at_us in dict(run.unknown).items():  # the last of each path
            made.facts.append(_gap(last_us, max(last_us, at_us), prefix, "the answer before it in the log is damaged"))
        last_us = max([last_us, *(fact.at_us for fact in run.facts)])
    if first_lost_us is not None and last_us > first_lost_us:
        made.facts += until_listed(STATES, first_lost_us, last_us)
    if found.cut:
        made.facts.append(_gap(last_us, last_us, ALL_PATHS, "the end of the log is damaged: what it held is unknown"))
    return made


def until_listed(tables: Iterable[str], from_us: Micros, until_us: Micros) -> list[Fact]:
    """Return the gaps of what is told only when it changes, from damage to the next time that all of it was listed."""
    cause = "what changed may be among damaged facts, and was not told again until everything was listed anew"
    return [_gap(from_us, until_us, prefix, cause) for table in tables for prefix in SHOWN_BY[table]]


def _gap(at_us: Micros, until_us: Micros, prefix: str, cause: str) -> Gap:
    return Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)


def _runs(found: Found) -> Iterator[_Run]:
    """Yield what the frames of a log hold, cut where something is missing."""
    together: list[tuple[Frame, RowsByTable]] = []
    expected = reached = found.first_seq
    for frame in found.frames:
        told = _rows_of(frame)
        if told is None:
            continue
        if together and frame.first_seq != reached:
            yield _run(together, together[0][0].first_seq - expected)
            expected, together = reached, []
        together.append((frame, told))
        reached = frame.first_seq + frame.facts
    if together:
        yield _run(together, together[0][0].first_seq - expected)


def _rows_of(frame: Frame) -> RowsByTable | None:
    """Return the rows of a frame, None where they are not those of its facts: it was written wrong."""
    try:
        told = frame.rows()
    except ValueError:
        return None
    if any(table not in TABLES or any(len(row) != len(TABLES[table].columns) for row in told[table]) for table in told):
        return None
    numbers = sorted(row[0] for table, found in told.items() if table not in PARTS for row in found)
    return told if numbers == list(range(frame.first_seq, frame.first_seq + frame.facts)) else None


def _run(together: Sequence[tuple[Frame, RowsByTable]], before: int) -> _Run:
    """Return the facts of frames that follow each other."""
    facts: list[tuple[int, Fact]] = []
    unknown: list[tuple[str, Micros]] = []
    reads: list[Row] = []
    items: dict[str, list[Row]] = {table: [] for table in _PLACES}
    whole: set[tuple[str, ...]] = set()
    for frame, told in together:
        for table, found in told.items():
            if table not in POLLED:
                facts += [fact_rows.to_fact(table, row) for row in found]
        new = {table: _by_seq(told.get(table, ())) for table in _PLACES}
        old: dict[str, dict[int, list[Row]]] = {}
        for row in told.get("reads", ()):
            seq, stream, table = row[0], tuple(row[_STREAM]), _table_of(row)
            answer = new[table].get(seq, []) if table else []
            if table and row[_ITEMS] is not None and stream not in whole:
                old = old or {name: _by_seq(_hidden(frame).get(name, ())) for name in _PLACES}
                known = _known_alone(table, answer, old[table].get(seq, []), row[_ITEMS])
                if known is None:
                    unknown.append((row[_PATH].partition("?")[0], row[1]))
                    continue
                answer = known
                whole.add(stream)
            reads.append(row)
            if table:
                items[table] += answer
    decoder = ReadDecoder(items["samples"], items["metric_values"])
    facts += [decoder.read(row) for row in reads]
    return _Run(
        before=before, facts=tuple(fact for _, fact in sorted(facts, key=itemgetter(0))), unknown=tuple(unknown)
    )


def _hidden(frame: Frame) -> RowsByTable:
    try:
        return frame.unchanged()
    except ValueError:
        return {}


def _by_seq(found: Iterable[Row]) -> dict[int, list[Row]]:
    """Return rows by the number of their read."""
    by_seq: dict[int, list[Row]] = {}
    for row in found:
        by_seq.setdefault(row[0], []).append(row)
    return by_seq


def _table_of(read: Row) -> str:
    """Return where the items of a read stand, empty where it has none."""
    return {RESOURCE: "samples", VALUES: "metric_values", SCALE: ""}.get(read[_KIND], "")


def _known_alone(table: str, changed: Sequence[Row], unchanged: Sequence[Row], items: int) -> list[Row] | None:
    """Return all items of an answer, each with its place, where the answer before is not known; None where some lack.

    Those that changed stand in their order; they fill the places that the others leave.
    """
    key, occurrence, place, gone = _PLACES[table]
    by_item: dict[tuple[str, int], list[Row]] = {}
    for row in (*changed, *unchanged):
        if not row[gone]:
            by_item.setdefault((row[key], row[occurrence]), []).append(row)
    if len(by_item) != items:
        return None
    order: list[list[Row] | None] = [None] * items
    for found in by_item.values():
        at = found[0][place]
        if at is not None:
            if not 0 <= at < items or order[at] is not None:
                return None
            order[at] = found
    rest = iter([found for found in by_item.values() if found[0][place] is None])
    placed = [found if found is not None else next(rest) for found in order]
    return [(*row[:place], at, *row[place + 1 :]) for at, found in enumerate(placed) for row in found]


def damaged_tables(folder: Path, segment: Segment, *, deep: bool = True) -> list[str]:
    """Return the tables of a segment whose files are not what was written; all, where they hold other facts.

    Raises `OSError` where the disk does not give a file, unless `deep`.
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
            error.require_damage()  # it was given just now
            return [file.table for file in segment.files]
    return damaged


def from_segment(folder: Path, segment: Segment, damaged: Sequence[str], until_us: Micros) -> Salvage:
    """Return the facts of a segment that do not stand in damaged files.

    until_us   when everything was listed again after it

    Raises `OSError` where the disk does not give a file that it gave just now.
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
    prefixes = {prefix for table in damaged for prefix in SHOWN_BY.get(table, (ALL_PATHS,))}
    gaps: list[Fact] = [_gap(first_us, last_us, prefix, cause) for prefix in sorted(prefixes)]
    if until_us > last_us:
        gaps += until_listed([table for table in STATES if table in damaged], last_us, until_us)
    if len(gaps) > lost:  # there are not so many numbers
        gaps = [_gap(first_us, max(last_us, until_us), ALL_PATHS, cause)]
    kept = [fact for _, fact in sorted(facts, key=itemgetter(0))]
    return Salvage(facts=[*gaps, *kept], kept=len(kept), lost=lost)


def _sound_facts(folder: Path, segment: Segment, damaged: Sequence[str]) -> Iterator[tuple[int, Fact]]:
    """Yield what stands in sound files, each with its number; raises `DamagedFile` or one of `WRONG`."""
    sound = [file.table for file in segment.files if file.table not in damaged]
    for table in sound:
        if table not in POLLED:
            for row in segment_rows(folder, segment, table):
                yield fact_rows.to_fact(table, row)
    if "reads" not in sound:
        return
    decoder = ReadDecoder(
        *(segment_rows(folder, segment, table) if table in sound else () for table in ("samples", "metric_values"))
    )
    for row in segment_rows(folder, segment, "reads"):
        if row[_ITEMS] is None or _table_of(row) not in damaged:
            yield decoder.read(row)
