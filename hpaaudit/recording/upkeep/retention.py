"""Removes the oldest segments. One segment replaces them: a gap with the cause, and the last state of each object."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import ControllerSeen, Fact, Gap
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.encoding.object_keys import KEYS
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FOLDER_MODE, is_regular_file, remove, sync_folder
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Removed, Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.last_states import last_states
from hpaaudit.recording.reading.survey import survey_for_writing
from hpaaudit.recording.upkeep.upload_marks import mark_uploaded
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import SegmentPlace, write_segment

HOUR = 3600 * SECOND
STATES = tuple(table for table in KEYS if table != "events")
"""Tables that have a row only when an object changes."""


def sealed_segments(folder: Path) -> list[Segment]:
    """The segments that can be removed, in order, up to one that cannot be read. None if they cannot be listed."""
    try:
        sealed = survey_for_writing(folder).sealed
    except (OSError, RecordingError):
        return []
    first = sealed[0].number if sealed else 0
    return [segment for number, segment in enumerate(sealed, first) if segment.number == number]


def expired(
    segments: Sequence[Segment], now_us: Micros, keep_us: Micros | None, keep_bytes: int | None
) -> tuple[int, str]:
    """The number of the last segment that is too old or too much, 0 if none is, and why. One segment always stays."""
    through, cause, newer_bytes = 0, "", 0
    for newer, segment in zip(reversed(segments), reversed(segments[:-1]), strict=False):
        newer_bytes += sum(file.bytes for file in newer.files)
        if keep_us is not None and segment.last_us < now_us - keep_us:
            cause = f"removed by retention: older than {keep_us / HOUR:g} h"
        elif keep_bytes is not None and newer_bytes + sum(file.bytes for file in segment.files) > keep_bytes:
            cause = f"removed by retention: more than {keep_bytes:,} bytes"
        if cause:
            through = segment.number
            break
    return through, cause


def remove_segments(folder: Path, segments: Sequence[Segment], through: int, cause: str) -> bool:
    """Replace the segments up to the number `through` by one. False if there is nothing to remove.

    segments   all sealed segments in order, without a hole

    Raises `OSError`. Nothing is removed then, or `finish_removal` removes the rest.
    """
    removable = [segment for segment in segments if segment.number <= through]
    if not removable or (removable[-1].removed and not removable[-1].repaired):
        return False
    last = removable[-1]
    # Not that of the first segment: if the clock was set back between two runs, later segments have earlier times.
    first_us = min(segment.removed.first_us if segment.removed else segment.first_us for segment in removable)
    last_us = max(segment.last_us for segment in removable)
    sha256, facts = last.next_link
    states = [_as_of(fact, last_us) for fact in last_states(folder, removable, STATES)]
    replacing = [Gap(at_us=first_us, until_us=last_us, prefix=ALL_PATHS, cause=cause), *states]
    if len(replacing) > facts:
        return False
    pending = PendingFacts(facts - len(replacing))
    for fact in replacing:
        pending.add(fact)
    base = folder / f"{layout.segment_name(last.number)}{layout.BASE_SUFFIX}"
    unfinished = base.with_name(base.name + layout.UNFINISHED_SUFFIX)
    try:
        remove(unfinished)
        unfinished.mkdir(FOLDER_MODE)
        removed = Removed(facts=facts, first_us=first_us, last_us=last_us, sha256=sha256)
        segment_place = SegmentPlace(
            number=last.number, first_seq=pending.first_seq, previous=_head_hash(folder), removed=removed
        )
        write_segment(unfinished, pending.tables(), segment_place)
        mark_uploaded(unfinished)  # the store has all that it says
        unfinished.rename(base)
        sync_folder(base.parent)
    except OSError:
        with suppress(OSError):
            remove(unfinished)
        raise
    finish_removal(folder)
    return True


def _as_of(fact: Fact, at_us: Micros) -> Fact:
    """A state as of a later time. A controller that had started is running then: it does not start a second time."""
    if isinstance(fact, ControllerSeen) and fact.state == "started":
        return replace(fact, at_us=at_us, state="declared")
    return replace(fact, at_us=at_us)


def finish_removal(folder: Path) -> bool:
    """Delete the segments that a finished one replaces, also after an interruption. True if there was anything to do.

    Raises `OSError`.
    """
    segments = folder / layout.SEGMENTS
    names = [path.name for path in segments.iterdir()]
    leftovers = [
        name for name in names if name.endswith((layout.BASE_SUFFIX + layout.UNFINISHED_SUFFIX, layout.REMOVED_SUFFIX))
    ]
    for name in leftovers:
        remove(segments / name)
    # What it replaces is deleted, so it must really be a segment.
    bases = sorted(
        name
        for name in names
        if name.endswith(layout.BASE_SUFFIX) and is_regular_file(segments / name / layout.MANIFEST)
    )
    for base in bases[-1:]:
        final = base.removesuffix(layout.BASE_SUFFIX)
        replaced = [segments / name for name in names if name.isdecimal() and int(name) <= int(final)]
        # An older base, whose removal could not be finished: beside a finished segment it would stand for it.
        replaced += [segments / other for other in bases[:-1]]
        # Renamed first, so that whoever lists the segments never finds a part of one.
        removed = [path.rename(path.with_name(path.name + layout.REMOVED_SUFFIX)) for path in replaced]
        (segments / base).rename(segments / final)
        sync_folder(segments)
        for path in removed:
            remove(path)
    return bool(leftovers or bases)


def _head_hash(folder: Path) -> str:
    """The hash of `recording.json`, which the first segment names."""
    return str(manifest.load_document(folder / layout.RECORDING)[manifest.HASH])
