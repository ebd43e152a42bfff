"""Tells what is in a recording and whether it is sound, as text or JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from hpaaudit.api.times import whole_seconds
from hpaaudit.model.inspection import Inspection, StreamSize, TableSize, Verification
from hpaaudit.model.units import Micros
from hpaaudit.report.table import table
from hpaaudit.report.text import clock, counted, printable, stamp

LISTED = 10
"""So many of a kind are named in text; JSON has all."""

KILO = 1000


def as_json(found: Inspection | Verification) -> str:
    """Return everything that was found."""
    return json.dumps(asdict(found), indent=2, ensure_ascii=False) + "\n"


def inspection_text(found: Inspection) -> str:
    """Return what is in a recording: content, sizes, reads, gaps, what is missing, what next."""
    return "\n".join([*_content(found), *_sizes(found), *_reads(found), *_holes(found), *_next(found)]) + "\n"


def _content(found: Inspection) -> Iterator[str]:
    info = found.info
    head = (info.path, f"made by {info.source}", info.cluster, _span(found))
    yield printable("   ".join(part for part in head if part))
    yield ""
    hpas = counted(len(found.hpas), "HPA")
    releases = f"; release {', '.join(found.releases)}" if found.releases else ""
    yield printable(f"  {hpas}, {counted(found.pods, 'pod')}, {counted(found.targets, 'target')}{releases}")
    yield from _listed(found.hpas)
    yield from _listed([_recorder(*one) for one in found.recorders])
    if not found.complete:
        yield "  not ended: its recorder died or still runs, nothing is known after the last fact"
    if found.torn:
        yield f"  torn: {_torn(found.torn)}"
    yield ""


TRUSTED = {
    "authority": "verified by the kubeconfig's authority",
    "system": "verified by the machine's authorities",
    "unverified": "NOT verified: it may have been anybody",
    "plain": "over plain http: NOT verified",
}


def _recorder(version: str, server: str, trust: str, auth: str) -> str:
    """Return who recorded, and how it knew the server."""
    return f"recorded by hpaaudit {version} from {server}, {TRUSTED.get(trust, trust)}; shown: {auth}"


def _torn(size: int) -> str:
    return f"the last {_size(size)} of the log were being written, which are not read"


def _sizes(found: Inspection) -> Iterator[str]:
    polled = f": {found.bytes / found.polled:.1f} B per polled sample" if found.polled else ""
    new = f", {found.bytes / found.new:.1f} B per new one" if found.new else ""
    facts, segments = counted(found.facts, "fact"), counted(found.segments, "segment")
    logged = f" and the log ({found.logged})" if found.logged else ""
    yield f"  {facts} in {segments}{logged}, {_size(found.bytes)}{polled}{new}"
    if found.tables:
        yield ""
        yield table(("table", "rows", "files", "bytes"), [_table_row(size) for size in found.tables], indent="  ")
    yield ""


def _table_row(size: TableSize) -> tuple[str | int, ...]:
    return (size.table, size.rows, size.files, size.bytes)


def _reads(found: Inspection) -> Iterator[str]:
    if not found.reads:
        return
    reads, samples = counted(found.reads, "read"), counted(found.polled, "sample")
    yield f"  {reads}, {found.failures} failed; {samples} polled, {found.new} new"
    yield ""
    streams = [_stream_row(stream) for stream in found.streams[:LISTED]]
    yield table(("reads", "failed", "polled", "new", "request"), streams, indent="  ")
    if len(found.streams) > LISTED:
        yield f"  and {len(found.streams) - LISTED} more requests, all in -o json"
    yield ""


def _stream_row(stream: StreamSize) -> tuple[str | int, ...]:
    request = f"{stream.request} by {stream.by}" if stream.by else stream.request
    return (stream.reads, stream.failures, stream.polled, stream.new, request)


def _holes(found: Inspection) -> Iterator[str]:
    yield f"  gaps: {len(found.gaps) or 'none'}"
    yield from _listed([f"{_range(gap.at_us, gap.until_us)}  {gap.prefix}  {gap.cause}" for gap in found.gaps])
    if found.foreign:
        yield f"  foreign, and not read: {found.foreign_count}"
        yield from _listed(found.foreign)
    if found.refused:
        yield f"  cannot be read: {len(found.refused)}"
        yield from _listed([f"{one.what}  {one.reason}  ({one.count} times)" for one in found.refused])
    if found.missing:
        yield "  missing"
        yield from (f"    {missing.what}: {missing.limits}" for missing in found.missing)
    yield ""


def _next(found: Inspection) -> Iterator[str]:
    command = "replay" if found.hpas else "verify"
    yield printable(f"  next  hpaaudit {command} {found.info.path}")


def verification_text(found: Verification) -> str:
    """Return whether a recording is sound, each damage, and how far it can be replayed."""
    lines = _damaged(found) if found.damages else _sound(found)
    strange = _foreign(found.foreign, found.foreign_count)
    return "\n".join(printable(line) for line in [*lines, *_ended(found), *strange, *_anchored(found)]) + "\n"


def _foreign(names: Sequence[str], count: int) -> Iterator[str]:
    """What lies in the folder and is no part of the recording."""
    if count:
        more = f" and {count - LISTED} more" if count > LISTED else ""
        yield f"Foreign, and not read: {', '.join(names[:LISTED])}{more}."


def _anchored(found: Verification) -> Iterator[str]:
    """What a hash from elsewhere says, or would say."""
    anchor = found.anchor
    if found.head:
        yield f"Head hash: {found.head}"
    if anchor is None:
        if not found.damages:
            yield "Only a hash kept elsewhere proves that nothing was taken from its end: verify --expect HASH."
    elif not anchor.found:
        yield (
            f"Not what {anchor.expected} stands for: it was changed, something was taken from its end, "
            "or it is another recording."
        )
    elif anchor.whole:
        yield "The expected hash stands for all of it."
    elif anchor.segment:
        yield f"The expected hash stands for it up to segment {anchor.segment}; {_beyond(found)}."
    else:
        yield f"The expected hash stands for its recording.json only; {_beyond(found)}."


def _beyond(found: Verification) -> str:
    if found.removed:
        return "what came later, and what stands for removed segments, it does not prove"
    return "what came later it does not prove"


def _sound(found: Verification) -> Iterator[str]:
    files, segments = counted(found.files, "file"), counted(found.segments, "segment")
    again = "" if found.facts is None else f", and {counted(found.facts, 'fact')} can be read"
    logged = f", a log of {counted(found.logged, 'fact')}" if found.logged else ""
    yield f"{found.info.path} is sound: {segments}, {files}{logged}, {_size(found.bytes)}; every checksum holds{again}."


def _damaged(found: Verification) -> Iterator[str]:
    yield f"{found.info.path} is damaged."
    yield ""
    yield from (f"  {damage.file} {damage.problem}" for damage in found.damages)
    yield ""
    if found.sound_until is None:
        yield "  Nothing before the damage can be replayed: restore the recording from a copy."
    else:
        until = stamp(found.sound_until)
        yield f"  Everything up to {until} is sound."
        yield f"  next  hpaaudit replay {found.info.path} --until {until}"


def _ended(found: Verification) -> Iterator[str]:
    if found.removed and found.removed_us is not None:
        segments = "segment 1" if found.removed == 1 else f"segments 1 to {found.removed}"
        yield f"Removed: {segments}, up to {stamp(found.removed_us)}; that time is a gap."
    if not found.complete:
        yield "Not ended: its recorder died or still runs, so nothing is known after its last fact."
    if found.torn:
        yield f"Torn: {_torn(found.torn)}."
    if found.unfinished:
        yield f"Never finished and not read: {counted(found.unfinished, 'segment')}."


def _span(found: Inspection) -> str:
    if found.first_us is None or found.last_us is None:
        return "empty"
    return f"{_day(found.first_us)} {_range(found.first_us, found.last_us)}"


def _day(at_us: Micros) -> str:
    return whole_seconds(at_us)[:10]


def _range(from_us: Micros, to_us: Micros) -> str:
    """Return two times of day, the second with its day where that is another one."""
    end = clock(to_us) if _day(from_us) == _day(to_us) else whole_seconds(to_us)
    return f"{clock(from_us)}-{end}"


def _size(size: int) -> str:
    """Return bytes as people read them, in powers of ten."""
    if size < KILO:
        return f"{size} B"
    amount = size / KILO
    for unit in ("kB", "MB", "GB"):
        if amount < KILO:
            return f"{amount:.1f} {unit}"
        amount /= KILO
    return f"{amount:.1f} TB"


def _listed(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines under another one, the rest of a long list as a number."""
    yield from (printable(f"    {line}") for line in lines[:LISTED])
    if len(lines) > LISTED:
        yield f"    and {len(lines) - LISTED} more, all in -o json"
