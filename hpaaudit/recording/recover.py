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
from hpaaudit.recording import manifest
from hpaaudit.recording.durable import is_file, own_folder, remove, sync_folder, vacate
from hpaaudit.recording.grow import Growing
from hpaaudit.recording.known import last_states
from hpaaudit.recording.log import LOGS, log_name
from hpaaudit.recording.manifest import Segment
from hpaaudit.recording.quarantine import set_aside
from hpaaudit.recording.repair import growing, mend
from hpaaudit.recording.retire import finish
from hpaaudit.recording.segments import Unsound, rows
from hpaaudit.recording.sieve import EVERYTHING
from hpaaudit.recording.survey import Survey, surveyed

WATCHED = ("hpas", "pods", "targets", "rollouts", "scaled_objects", "api_services", "surroundings")
EVENTS = "events"
SLICE_US = 90 * SECOND
"""A gap that lasts is written down once a minute; a busy recorder may be late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A recording that can go on.

    files     where it goes on
    last_us   nothing is known after that;  cause   why
    facts     that stood in the log and are a segment now
    known     how everything stood that is told only when it changes
    gaps      that may have gone on up to the last fact: a gap that lasts is written down in slices
    aside     files that were set aside, relative to the folder
    """

    files: Growing
    last_us: Micros
    cause: str
    facts: int
    known: tuple[Fact, ...]
    gaps: tuple[Gap, ...]
    aside: tuple[str, ...]


def recover(folder: Path, *, source: str, cluster: str) -> Recovered:
    """Make a recording ready to go on; nobody else may write into it meanwhile.

    Raises `RecordingError` where it is another one than is to go on, or the disk refuses.
    """
    try:
        _evict_strangers(folder)
        finish(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    try:
        seen = surveyed(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    if seen.head["source"] != source:
        raise RecordingError(f"{folder} was made by {seen.head['source']}: nothing can be recorded into it.")
    if seen.head["cluster"] != cluster:
        theirs = seen.head["cluster"] or "an unknown cluster"
        raise RecordingError(f"{folder} is a recording of {theirs}, not of {cluster}: name another folder.")
    try:
        mends = mend(folder, deep=False)
        return _recover(folder, surveyed(folder) if mends else seen, mends, complete=seen.complete)
    except OSError as error:
        raise _refused(folder, error) from error


def _evict_strangers(folder: Path) -> None:
    """Make names free that are read at the begin and hold no file or folder of ours: a pipe there would stop us."""
    if os.path.lexists(folder / LOGS):
        own_folder(folder / LOGS)
        for path in (folder / LOGS).iterdir():
            if not is_file(path):
                vacate(path)
    if not is_file(folder / manifest.END):
        vacate(folder / manifest.END)


def _refused(folder: Path, error: OSError) -> RecordingError:
    way = f"; if it stays so, `hpaaudit repair {folder}` keeps the rest" if error.errno == errno.EIO else ""
    return RecordingError(f"cannot go on in {folder}: {error.strerror}{way}.")


def _recover(folder: Path, seen: Survey, mends: Sequence[Mend], *, complete: bool) -> Recovered:
    """Go on after the last segment; what stands in a sound log becomes one."""
    sealed = [segment for segment in seen.segments if segment.held is None]
    tail = next((segment for segment in seen.segments if segment.held is not None), None)
    files = growing(folder, seen, sealed)
    vacate(folder / manifest.END)
    sync_folder(folder)
    aside = [name for name in _beyond(folder, files.segments) if set_aside(folder, name)]
    if tail:
        with suppress(OSError):
            remove(folder / f"{manifest.segment_name(tail.number)}{manifest.UNFINISHED}")
        files.add(dict(tail.held or {}))
    aside += [name for name in _unfinished(folder) if set_aside(folder, name)]
    log = log_name(files.segments)
    if seen.torn and set_aside(folder, log):
        aside.append(log)
    _remove_logs(folder)
    segments = (*sealed, tail) if tail else tuple(sealed)
    known = [
        *last_states(folder, segments, WATCHED, skip_damaged=True),
        *last_states(folder, segments[-2:], (EVENTS,), skip_damaged=True),
    ]
    last_us = max((segment.last_us for segment in segments), default=seen.head["started_us"])
    return Recovered(
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
            for _, at_us, until_us, prefix, cause in rows(folder, segment, "gaps"):
                last[prefix] = Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)
        except Unsound as error:  # what is damaged is for others to tell
            error.require_damage()
    last.pop(EVERYTHING, None)
    for gap in last.values():
        if last_us - SLICE_US <= gap.until_us < last_us:
            yield replace(gap, at_us=gap.until_us, until_us=last_us)


def _beyond(folder: Path, last: int) -> list[str]:
    """Return what cannot be gone on from: segments without a manifest, and logs of segments after them."""
    found = [f"{manifest.SEGMENTS}/{path.name}" for path in (folder / manifest.SEGMENTS).iterdir()]
    parts = [name for name in found if (number := Path(name).name).isdecimal() and int(number) > last]
    logs = [f"{LOGS}/{path.name}" for path in sorted((folder / LOGS).glob("*")) if _number(path) > last + 1]
    return [*sorted(parts), *logs]


def _number(path: Path) -> int:
    stem = path.name.split(".")[0]
    return int(stem) if stem.isdecimal() else 0


def _unfinished(folder: Path) -> Iterator[str]:
    """Yield folders of segments that were never published."""
    for path in sorted((folder / manifest.SEGMENTS).glob(f"*{manifest.UNFINISHED}")):
        yield f"{manifest.SEGMENTS}/{path.name}"


def _remove_logs(folder: Path) -> None:
    """Take away logs whose facts stand in a segment, whose name may not be on the disk: its sync may have failed."""
    sync_folder(folder / manifest.SEGMENTS)
    if not (folder / LOGS).is_symlink() and (folder / LOGS).is_dir():
        for path in (folder / LOGS).iterdir():
            vacate(path)
        sync_folder(folder / LOGS)


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
