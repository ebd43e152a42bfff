"""Removes the oldest segments: one that stands for them says when, why, and how everything stood at their end."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import ControllerSeen, Fact, Gap
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording import manifest
from hpaaudit.recording.durable import FOLDER_MODE, is_file, remove, sync_folder
from hpaaudit.recording.grow import write_segment
from hpaaudit.recording.known import KEYS, last_states
from hpaaudit.recording.manifest import Removed, Segment
from hpaaudit.recording.pending import Pending
from hpaaudit.recording.room import mark_uploaded
from hpaaudit.recording.sieve import EVERYTHING
from hpaaudit.recording.survey import surveyed

HOUR = 3600 * SECOND
STATES = tuple(table for table in KEYS if table != "events")
"""Tables that tell something only when it changes."""


def sealed_segments(folder: Path) -> list[Segment]:
    """Return the segments that can be removed, in order, up to one that cannot be read; none where none is listed."""
    try:
        found = [segment for segment in surveyed(folder).segments if segment.held is None]
    except (OSError, RecordingError):
        return []
    return [segment for place, segment in enumerate(found, found[0].number if found else 0) if segment.number == place]


def expired(
    segments: Sequence[Segment], now_us: Micros, keep_us: Micros | None, keep_bytes: int | None
) -> tuple[int, str]:
    """Return the number of the last segment that is too old or too much, 0 where none is, and why; one always stays."""
    through, cause, kept = 0, "", 0
    for newer, segment in zip(reversed(segments), reversed(segments[:-1]), strict=False):
        kept += sum(file.bytes for file in newer.files)
        if keep_us is not None and segment.last_us < now_us - keep_us:
            cause = f"removed by retention: older than {keep_us / HOUR:g} h"
        elif keep_bytes is not None and kept + sum(file.bytes for file in segment.files) > keep_bytes:
            cause = f"removed by retention: more than {keep_bytes:,} bytes"
        if cause:
            through = segment.number
            break
    return through, cause


def retire(folder: Path, segments: Sequence[Segment], through: int, cause: str) -> bool:
    """Put one segment in the place of those up to a number; whether that takes anything away.

    segments   all that are sealed, in order, without a hole

    Raises `OSError`: then nothing is removed, or the rest is by `finish`.
    """
    gone = [segment for segment in segments if segment.number <= through]
    if not gone or (gone[-1].removed and not gone[-1].repaired):
        return False
    last = gone[-1]
    # Not the first one's: a clock that was set back between two runs brings earlier times later.
    first_us = min(segment.removed.first_us if segment.removed else segment.first_us for segment in gone)
    last_us = max(segment.last_us for segment in gone)
    sha256, facts = last.before_next
    states = [_as_of(fact, last_us) for fact in last_states(folder, gone, STATES)]
    stand = [Gap(at_us=first_us, until_us=last_us, prefix=EVERYTHING, cause=cause), *states]
    if len(stand) > facts:
        return False
    pending = Pending(facts - len(stand))
    for fact in stand:
        pending.add(fact)
    base = folder / f"{manifest.segment_name(last.number)}{manifest.BASE}"
    unfinished = base.with_name(base.name + manifest.UNFINISHED)
    try:
        remove(unfinished)
        unfinished.mkdir(FOLDER_MODE)
        removed = Removed(facts=facts, first_us=first_us, last_us=last_us, sha256=sha256)
        write_segment(unfinished, pending.tables(), last.number, pending.first_seq, _head(folder), removed)
        mark_uploaded(unfinished)  # it is nothing that is not known elsewhere
        unfinished.rename(base)
        sync_folder(base.parent)
    except OSError:
        with suppress(OSError):
            remove(unfinished)
        raise
    finish(folder)
    return True


def _as_of(fact: Fact, at_us: Micros) -> Fact:
    """Return a state as of a later instant; a controller that had started runs then, and starts no second time."""
    if isinstance(fact, ControllerSeen) and fact.state == "started":
        return replace(fact, at_us=at_us, state="declared")
    return replace(fact, at_us=at_us)


def finish(folder: Path) -> None:
    """Take away what a segment stands for that was made; also where this was begun and not ended. Raises `OSError`."""
    parts = folder / manifest.SEGMENTS
    names = [path.name for path in parts.iterdir()]
    for name in names:
        if name.endswith((manifest.BASE + manifest.UNFINISHED, manifest.REMOVED)):
            remove(parts / name)
    # What a base stands for is deleted: it must be one.
    bases = sorted(name for name in names if name.endswith(manifest.BASE) and is_file(parts / name / manifest.MANIFEST))
    for base in bases[-1:]:
        final = base.removesuffix(manifest.BASE)
        gone = [parts / name for name in names if name.isdecimal() and int(name) <= int(final)]
        # First out of the way, so that whoever lists the segments never finds a part of one.
        away = [path.rename(path.with_name(path.name + manifest.REMOVED)) for path in gone]
        (parts / base).rename(parts / final)
        sync_folder(parts)
        for path in (*away, *(parts / other for other in bases[:-1])):
            remove(path)


def _head(folder: Path) -> str:
    """Return the hash of `recording.json`, which the first segment names."""
    return str(manifest.load(folder / manifest.RECORDING)[manifest.HASH])
