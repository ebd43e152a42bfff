"""Removes the oldest segments: one that stands for them says when, why, and how everything stood at their end."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.encoding.object_keys import KEYS
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FOLDER_MODE, is_regular_file, remove, sync_folder
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Removed, Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.last_states import last_states
from hpaaudit.recording.reading.survey import survey
from hpaaudit.recording.upkeep.upload_marks import mark_uploaded
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import write_segment

HOUR = 3600 * SECOND
STATES = tuple(table for table in KEYS if table != "events")
"""Tables that tell something only when it changes."""


def sealed_segments(folder: Path) -> list[Segment]:
    """Return the segments that can be removed, in order; none where they cannot even be listed."""
    try:
        return [segment for segment in survey(folder).segments if segment.held is None]
    except (OSError, RecordingError):
        return []


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


def remove_segments(folder: Path, segments: Sequence[Segment], through: int, cause: str) -> bool:
    """Put one segment in the place of those up to a number; whether that takes anything away.

    segments   all that are sealed, in order, without a hole

    Raises `OSError`: then nothing is removed, or the rest is by `finish_removal`.
    """
    gone = [segment for segment in segments if segment.number <= through]
    if not gone or (gone[-1].removed and not gone[-1].repaired):
        return False
    last = gone[-1]
    # Not the first one's: a clock that was set back between two runs brings earlier times later.
    first_us = min(segment.removed.first_us if segment.removed else segment.first_us for segment in gone)
    last_us = max(segment.last_us for segment in gone)
    sha256, facts = last.before_next
    states = [replace(fact, at_us=last_us) for fact in last_states(folder, gone, STATES)]
    stand = [Gap(at_us=first_us, until_us=last_us, prefix=ALL_PATHS, cause=cause), *states]
    if len(stand) > facts:
        return False
    pending = PendingFacts(facts - len(stand))
    for fact in stand:
        pending.add(fact)
    base = folder / f"{layout.segment_name(last.number)}{layout.BASE_SUFFIX}"
    unfinished = base.with_name(base.name + layout.UNFINISHED_SUFFIX)
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
    finish_removal(folder)
    return True


def finish_removal(folder: Path) -> None:
    """Take away what a segment stands for that was made; also where this was begun and not ended. Raises `OSError`."""
    parts = folder / layout.SEGMENTS
    names = [path.name for path in parts.iterdir()]
    for name in names:
        if name.endswith((layout.BASE_SUFFIX + layout.UNFINISHED_SUFFIX, layout.REMOVED_SUFFIX)):
            remove(parts / name)
    # What a base stands for is deleted: it must be one.
    bases = sorted(
        name for name in names if name.endswith(layout.BASE_SUFFIX) and is_regular_file(parts / name / layout.MANIFEST)
    )
    for base in bases[-1:]:
        final = base.removesuffix(layout.BASE_SUFFIX)
        gone = [parts / name for name in names if name.isdecimal() and int(name) <= int(final)]
        # First out of the way, so that whoever lists the segments never finds a part of one.
        away = [path.rename(path.with_name(path.name + layout.REMOVED_SUFFIX)) for path in gone]
        (parts / base).rename(parts / final)
        sync_folder(parts)
        for path in (*away, *(parts / other for other in bases[:-1])):
            remove(path)


def _head(folder: Path) -> str:
    """Return the hash of `recording.json`, which the first segment names."""
    return str(manifest.load_document(folder / layout.RECORDING)[manifest.HASH])
