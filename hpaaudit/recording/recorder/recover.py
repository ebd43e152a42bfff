"""Takes up a recording that was ended or killed: what its log holds becomes a segment, bad tails are set aside."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.inspection import Mend
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import free_name, is_regular_file, make_folder, remove, sync_folder
from hpaaudit.recording.files.quarantine import move_to_quarantine
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.reading.last_states import last_states
from hpaaudit.recording.reading.segment import DamagedFile, segment_rows
from hpaaudit.recording.reading.survey import Survey, survey_for_writing
from hpaaudit.recording.upkeep.repair import folder_after, repair_folder
from hpaaudit.recording.upkeep.retention import finish_removal
from hpaaudit.recording.writing.recording_folder import RecordingFolder

WATCHED = ("hpas", "pods", "targets", "rollouts", "scaled_objects", "api_services", "surroundings")
EVENTS = "events"
SLICE_US = 90 * SECOND
"""A gap that lasts is written down once a minute; a busy recorder may be late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredRecording:
    """A recording that can go on.

    files     where it goes on
    last_us   nothing is known after that;  cause   why
    facts     that stood in the log and are a segment now
    known     how everything stood that is told only when it changes
    gaps      that may have gone on up to the last fact: a gap that lasts is written down in slices
    aside     files that were set aside, relative to the folder
    """

    files: RecordingFolder
    last_us: Micros
    cause: str
    facts: int
    known: tuple[Fact, ...]
    gaps: tuple[Gap, ...]
    aside: tuple[str, ...]


def recover(folder: Path, *, source: str, cluster: str) -> RecoveredRecording:
    """Make a recording ready to go on; nobody else may write into it meanwhile.

    Raises `RecordingError` where it is another one than is to go on, or the disk refuses.
    """
    try:
        _evict_strangers(folder)
        finish_removal(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    try:
        seen = survey_for_writing(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    if seen.head["source"] != source:
        raise RecordingError(f"{folder} was made by {seen.head['source']}: nothing can be recorded into it.")
    if seen.head["cluster"] != cluster:
        theirs = seen.head["cluster"] or "an unknown cluster"
        raise RecordingError(f"{folder} is a recording of {theirs}, not of {cluster}: name another folder.")
    try:
        mends = repair_folder(folder, deep=False)
        return _recover(folder, survey_for_writing(folder) if mends else seen, mends, complete=seen.complete)
    except OSError as error:
        raise _refused(folder, error) from error


def _evict_strangers(folder: Path) -> None:
    """Make names free that are read at the begin and hold no file or folder of ours: a pipe there would stop us."""
    if os.path.lexists(folder / layout.LOGS):
        make_folder(folder / layout.LOGS)
        for path in (folder / layout.LOGS).iterdir():
            if not is_regular_file(path):
                free_name(path)
    if not is_regular_file(folder / layout.END):
        free_name(folder / layout.END)


def _refused(folder: Path, error: OSError) -> RecordingError:
    way = f"; if it stays so, `hpaaudit repair {folder}` keeps the rest" if error.errno == errno.EIO else ""
    return RecordingError(f"cannot go on in {folder}: {error.strerror}{way}.")


def _recover(folder: Path, seen: Survey, mends: Sequence[Mend], *, complete: bool) -> RecoveredRecording:
    """Go on after the last segment; what stands in a sound log becomes one."""
    sealed = [segment for segment in seen.segments if segment.held is None]
    tail = next((segment for segment in seen.segments if segment.held is not None), None)
    files = folder_after(folder, seen, sealed)
    free_name(folder / layout.END)
    sync_folder(folder)
    aside = [name for name in _beyond(folder, files.segments) if move_to_quarantine(folder, name)]
    if tail:
        with suppress(OSError):
            remove(folder / f"{layout.segment_name(tail.number)}{layout.UNFINISHED_SUFFIX}")
        files.add(dict(tail.held or {}))
    aside += [name for name in _unfinished(folder) if move_to_quarantine(folder, name)]
    log = layout.log_name(files.segments)
    if seen.torn and move_to_quarantine(folder, log):
        aside.append(log)
    _remove_logs(folder)
    segments = (*sealed, tail) if tail else tuple(sealed)
    known = [
        *last_states(folder, segments, WATCHED, skip_damaged=True),
        *last_states(folder, segments[-2:], (EVENTS,), skip_damaged=True),
    ]
    last_us = max((segment.last_us for segment in segments), default=seen.head["started_us"])
    return RecoveredRecording(
        files=files,
        last_us=last_us,
        cause=_cause(complete, mends, seen.torn, aside),
        facts=tail.facts if tail else 0,
        known=tuple(known),
        gaps=() if complete else tuple(_unended(folder, segments[-2:], last_us)),
        aside=(*(name for made in mends for name in made.aside), *aside),
    )


def _unended(folder: Path, segments: tuple[Segment, ...], last_us: Micros) -> Iterator[Gap]:
    """Yield for each gap that may not have ended before its recorder died what of it was not written down."""
    last: dict[str, Gap] = {}
    for segment in segments:
        try:
            for _, at_us, until_us, prefix, cause in segment_rows(folder, segment, "gaps"):
                last[prefix] = Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)
        except DamagedFile as error:  # what is damaged is for others to tell
            error.require_damage()
    last.pop(ALL_PATHS, None)
    for gap in last.values():
        if last_us - SLICE_US <= gap.until_us < last_us:
            yield replace(gap, at_us=gap.until_us, until_us=last_us)


def _beyond(folder: Path, last: int) -> list[str]:
    """Return what cannot be gone on from: segments without a manifest, and logs of segments after them."""
    found = [f"{layout.SEGMENTS}/{path.name}" for path in (folder / layout.SEGMENTS).iterdir()]
    parts = [name for name in found if (number := Path(name).name).isdecimal() and int(number) > last]
    logs = sorted(path for path in (folder / layout.LOGS).glob("*") if _number(path) > last + 1)
    return [*sorted(parts), *(f"{layout.LOGS}/{path.name}" for path in logs)]


def _number(path: Path) -> int:
    stem = path.name.split(".")[0]
    return int(stem) if stem.isdecimal() else 0


def _unfinished(folder: Path) -> Iterator[str]:
    """Yield folders of segments that were never published."""
    for path in sorted((folder / layout.SEGMENTS).glob(f"*{layout.UNFINISHED_SUFFIX}")):
        yield f"{layout.SEGMENTS}/{path.name}"


def _remove_logs(folder: Path) -> None:
    """Take away logs whose facts stand in a segment."""
    if not (folder / layout.LOGS).is_symlink() and (folder / layout.LOGS).is_dir():
        for path in (folder / layout.LOGS).iterdir():
            free_name(path)
        sync_folder(folder / layout.LOGS)


def _cause(complete: bool, mends: Sequence[Mend], torn: int, aside: Sequence[str]) -> str:
    """Say why nothing is known from the last fact until the recorder began anew."""
    if complete and not mends:
        return "the recorder was stopped, and started again"
    told = "the recorder was stopped" if complete else "the recorder died"
    told += ", and was started again"
    for made in mends:
        told += f"; {made.file} {made.problem}"
    if torn:
        told += f"; {torn} bytes of its log were not whole"
    names = [*(name for made in mends for name in made.aside), *aside]
    return f"{told}; set aside: {', '.join(names)}" if names else told
