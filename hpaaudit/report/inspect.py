"""Words what is in a recording and whether it is intact."""

from collections.abc import Iterable, Iterator, Sequence

from hpaaudit.api.zone import in_zone
from hpaaudit.model.counted import counted
from hpaaudit.model.inspection import Inspection, StreamSize, TableSize, Verification
from hpaaudit.model.units import Micros
from hpaaudit.report.folded_gaps import gap_lines
from hpaaudit.report.text import clock, one_line, pasteable, printable, side_by_side, stamp
from hpaaudit.report.text_table import page_table

NOT_ENDED = "not ended: the recorder died or is still running; nothing is known after the last fact"
"""What is said of a recording without an end."""

LISTED = 10
"""The most items of a kind that the text names. The wide text and JSON have all."""

KILO = 1000


def inspection_text(inspection: Inspection, most: int | None = LISTED) -> str:
    """A recording in words: content, sizes, reads, gaps, what is missing, and the next command.

    most   of a kind that it names; None: all
    """
    lines = [
        *_content(inspection, most),
        *_sizes(inspection),
        *_reads(inspection, most),
        *_gaps(inspection, most),
    ]
    return "\n".join([*map(_fitted, lines), *_next(inspection)]) + "\n"


def _fitted(lines: str) -> str:
    """A line that on a narrow terminal goes on below, indented further than it began; several, a table, as they are."""
    if "\n" in lines:
        return lines
    return one_line(lines, " " * (len(lines) - len(lines.lstrip()) + 2))


def _content(inspection: Inspection, most: int | None) -> Iterator[str]:
    info = inspection.info
    head = (info.path, f"made by {info.source}", info.cluster, _span(inspection))
    yield side_by_side(part for part in head if part)
    yield ""
    some = f"{len(inspection.hpas)} of " if len(inspection.hpas) < inspection.hpa_count else ""
    hpas = f"{some}{counted(inspection.hpa_count, 'HPA')}"
    releases = f"; release {', '.join(inspection.releases)}" if inspection.releases else ""
    objects = f"{hpas}, {counted(inspection.pods, 'pod')}, {counted(inspection.targets, 'target')}"
    yield printable(f"  {_within(inspection)}{objects}{releases}")
    yield from _listed(inspection.hpas, most)
    yield from _listed([_recorder(*recorder) for recorder in inspection.recorders], most)
    if not inspection.complete:
        yield f"  {NOT_ENDED}"
    if inspection.torn:
        yield f"  torn: {_torn(inspection.torn)}"
    yield ""


TRUSTED = {
    "authority": "verified by the kubeconfig's authority",
    "system": "verified by the system's authorities",
    "unverified": "NOT verified: it may have been any server",
    "plain": "over plain http: NOT verified",
}


def _recorder(version: str, server: str, trust: str, auth: str) -> str:
    """Which recorder it was, and how it verified the server."""
    return f"recorded by hpaaudit {version} from {server}, {TRUSTED.get(trust, trust)}; credentials: {auth}"


def _torn(size: int) -> str:
    return f"the last {_size(size)} of the log were being written and are not read"


def _sizes(inspection: Inspection) -> Iterator[str]:
    polled = f": {inspection.bytes / inspection.polled:.1f} B per polled sample" if inspection.polled else ""
    new = f", {inspection.bytes / inspection.new:.1f} B per new one" if inspection.new else ""
    if _within(inspection):  # then other samples take these bytes too
        yield "  of the whole recording:"
        polled = new = ""
    facts, segments = counted(inspection.facts, "fact"), counted(inspection.segments, "segment")
    logged = f" and the log ({inspection.logged})" if inspection.logged else ""
    in_tables = _size(sum(size.bytes for size in inspection.tables))
    yield f"  {facts} in {segments}{logged}, {_size(inspection.bytes)}{polled}{new}"
    yield f"  of these bytes the tables have {in_tables}, manifests and log the rest"
    if inspection.tables:
        yield ""
        yield page_table(("table", "rows", "files", "bytes"), [_table_row(size) for size in inspection.tables])
    yield ""


def _table_row(size: TableSize) -> tuple[str | int, ...]:
    return (size.table, size.rows, size.files, size.bytes)


def _reads(inspection: Inspection, most: int | None) -> Iterator[str]:
    if not inspection.reads and not _within(inspection):
        return
    reads, samples = counted(inspection.reads, "read"), counted(inspection.polled, "sample")
    yield f"  {_within(inspection)}{reads}, {inspection.failures} failed; {samples} polled, {inspection.new} new"
    yield ""
    streams = [_stream_row(stream) for stream in inspection.streams[:most]]
    if streams:
        yield page_table(("reads", "failed", "polled", "new", "request"), streams)
    if len(inspection.streams) > len(streams):
        yield f"  and {len(inspection.streams) - len(streams)} more requests, all in -o wide"
    yield ""


def _stream_row(stream: StreamSize) -> tuple[str | int, ...]:
    request = f"{stream.request} by {stream.by}" if stream.by else stream.request
    return (stream.reads, stream.failures, stream.polled, stream.new, request)


def _gaps(inspection: Inspection, most: int | None) -> Iterator[str]:
    number, *rows = gap_lines(inspection.gaps, most=most)
    yield f"  {_within(inspection)}{number.strip()}"
    yield from rows
    if inspection.foreign:
        yield f"  not part of the recording, and not read: {inspection.foreign_count}"
        yield from _listed(inspection.foreign, most)
    if inspection.refused:
        yield f"  cannot be read: {len(inspection.refused)}"
        yield from _listed(
            [f"{refused.what}  {refused.reason}  ({refused.count} times)" for refused in inspection.refused], most
        )
    if inspection.missing:
        yield "  missing"
        yield from (f"    {missing.what}: {missing.limits}" for missing in inspection.missing)
    yield ""


def _next(inspection: Inspection) -> Iterator[str]:
    command = "replay" if inspection.hpas else "verify"
    yield f"  next  hpaaudit {command} {pasteable(inspection.info.path)}"


def verification_text(verification: Verification, most: int | None = LISTED) -> str:
    """The result of a check in words: each damage, and until when the recording can be replayed.

    most   foreign files that it names; None: all that are known
    """
    lines: Iterable[str] = _damaged(verification) if verification.damages else _sound(verification)
    strange = _foreign(verification.foreign[:most], verification.foreign_count)
    told = [*lines, *_ended(verification), *strange, *_anchored(verification)]
    # A command stays on one line, so that it can be pasted.
    return "\n".join(printable(line) if "hpaaudit " in line else _fitted(printable(line)) for line in told) + "\n"


def _foreign(names: Sequence[str], count: int) -> Iterator[str]:
    """Files in the folder that do not belong to the recording."""
    if count:
        more = f" and {count - len(names)} more" if count > len(names) else ""
        yield f"Not part of the recording, and not read: {', '.join(names)}{more}."


def _anchored(verification: Verification) -> Iterator[str]:
    """What an expected hash proves, or would prove."""
    anchor = verification.anchor
    if verification.head:
        yield f"Head hash: {verification.head}"
    if anchor is None:
        if not verification.damages:
            yield "Only a hash that is kept elsewhere proves that nothing was cut off from its end. With this one:"
            yield f"  hpaaudit verify {pasteable(verification.info.path)} --expect {verification.head}"
    elif not anchor.found:
        yield (
            f"This is not the recording of hash {anchor.expected}: it was changed, its end was cut off, "
            "or it is another recording."
        )
    elif anchor.whole:
        yield "The expected hash covers the whole recording."
    elif anchor.segment:
        yield f"The expected hash covers the recording up to segment {anchor.segment}; {_beyond(verification)}."
    else:
        yield f"The expected hash covers recording.json only; {_beyond(verification)}."


def _beyond(verification: Verification) -> str:
    if verification.removed:
        return "it proves nothing about later segments, nor about what replaces removed ones"
    return "it proves nothing about later segments"


def _sound(verification: Verification) -> Iterator[str]:
    files, segments = counted(verification.files, "table file"), counted(verification.segments, "segment")
    read = "; the facts were not read, --deep reads them"
    if verification.facts is not None:
        read = f", and {counted(verification.facts, 'fact')} can be read"
    logged = f", a log of {counted(verification.logged, 'fact')}" if verification.logged else ""
    size = _size(verification.bytes)
    yield f"{verification.info.path} is sound: {segments}, {files} of {size}{logged}; every checksum holds{read}."


def _damaged(verification: Verification) -> Iterator[str]:
    yield f"{verification.info.path} is damaged."
    yield ""
    yield from (f"  {damage.file} {damage.problem}" for damage in verification.damages)
    yield ""
    if verification.sound_until is None:
        yield "  Nothing before the damage can be replayed: restore it from a copy, or keep what can be read."
        yield f"  next  hpaaudit repair {pasteable(verification.info.path)} --plan"
    else:
        until = stamp(verification.sound_until)
        yield f"  Everything up to {until} is sound."
        yield f"  next  hpaaudit replay {pasteable(verification.info.path)} --until {until}"
        yield f"        hpaaudit repair {pasteable(verification.info.path)} --plan"


def _ended(verification: Verification) -> Iterator[str]:
    if verification.removed and verification.removed_us is not None:
        segments = "segment 1" if verification.removed == 1 else f"segments 1 to {verification.removed}"
        yield f"Removed: {segments}, up to {stamp(verification.removed_us)}; that time is a gap."
    if verification.repaired:
        numbers = ", ".join(map(str, verification.repaired))
        segments = "segment" if len(verification.repaired) == 1 else "segments"
        yield f"Repaired: {segments} {numbers}; what was lost is a gap."
    if not verification.complete:
        yield "Not ended: the recorder died or is still running, so nothing is known after the last fact."
    if verification.torn:
        yield f"Torn: {_torn(verification.torn)}."
    if verification.unfinished:
        yield f"Never finished and not read: {counted(verification.unfinished, 'segment')}."


def _within(inspection: Inspection) -> str:
    """`15:00:00Z to 15:05:00Z: ` before what is of this time; empty if that is the whole recording's."""
    first_us, last_us = inspection.since_us or inspection.first_us, inspection.until_us or inspection.last_us
    is_whole = inspection.since_us is None and inspection.until_us is None
    return "" if is_whole or first_us is None or last_us is None else f"{_range(first_us, last_us)}: "


def _span(inspection: Inspection) -> str:
    if inspection.first_us is None or inspection.last_us is None:
        return "empty"
    return f"{_day(inspection.first_us)}T{_range(inspection.first_us, inspection.last_us)}"


def _day(at_us: Micros) -> str:
    return in_zone(at_us)[:10]


def _range(from_us: Micros, to_us: Micros) -> str:
    """Two times of day, the second with its date if that differs."""
    end = clock(to_us) if _day(from_us) == _day(to_us) else in_zone(to_us)
    return f"{clock(from_us)} to {end}"


def _size(size: int) -> str:
    """A size with a decimal unit: `41.2 kB`."""
    if size < KILO:
        return f"{size} B"
    amount = size / KILO
    for unit in ("kB", "MB", "GB"):
        if amount < KILO:
            return f"{amount:.1f} {unit}"
        amount /= KILO
    return f"{amount:.1f} TB"


def _listed(lines: Sequence[str], most: int | None) -> Iterator[str]:
    """Indented lines; the rest of a long list is counted."""
    shown = lines[:most]
    yield from (printable(f"    {line}") for line in shown)
    if len(lines) > len(shown):
        yield f"    and {len(lines) - len(shown)} more, all in -o wide"
