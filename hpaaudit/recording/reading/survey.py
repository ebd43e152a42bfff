"""Reads the documents of a recording and compares names and sizes: cheap, and it tells everything it finds."""

import errno
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpaaudit.errors import DamagedRecording, NewerFormat, NotARecording
from hpaaudit.model.inspection import Damage
from hpaaudit.recording.files import layout, opening
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.reader_limits import DOCUMENT_BYTES, NAMES
from hpaaudit.recording.format.schema import FORMAT_VERSION
from hpaaudit.recording.reading.log_tail import LogFile, Tail, newest_log, read_tail

_NUMBER = re.compile("[0-9]{6,9}")
_NEWEST_VERSION = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the documents say.

    head         `recording.json`
    segments     those whose manifest can be read; last the one that is still a log
    last_hash    of the last document, which the hash of every other one leads to
    complete     the end is marked
    unfinished   folders of segments that were never published
    torn         bytes at the end of the log that are no whole frame
    """

    head: dict[str, Any]
    segments: tuple[Segment, ...]
    last_hash: str
    complete: bool
    unfinished: int
    torn: int
    damages: tuple[Damage, ...]


def survey(folder: Path) -> Survey:
    """Look at a recording.

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` where not even `recording.json` can be read.
    """
    head = _head(folder)
    log, unread = _log(folder)  # first of all: a recorder that runs may seal it meanwhile
    segments: list[Segment] = []
    damages: list[Damage] = []
    names: list[str] = []
    try:
        names = _names(folder)
    except (OSError, ValueError) as error:
        damages.append(_damage(1, layout.SEGMENTS, error))
    tail = Tail(segment=None, damage=unread, torn=0)
    before: tuple[str, int] | None = (head["sha256"], 0)
    expected = 1
    for number, place in _places(names):
        try:
            # Behind one that is missing nothing is known to continue.
            segment = _segment(folder, number, place, before if number == expected else None)
            base = segment.removed is not None and not segment.repaired and expected == 1
            if number != expected and base and (segment.previous, 0) != before:
                raise ValueError("does not continue the segment before it")  # noqa: TRY301 said below
        except (OSError, ValueError) as error:
            damages += [_missing(expected)] if number != expected else []
            damages.append(_damage(number, f"{place}/{layout.MANIFEST}", error))
            expected, before = number + 1, None
            continue
        if number != expected and not base:
            damages.append(_missing(expected))
        segments.append(segment)
        expected, before = number + 1, segment.before_next
        damages += _sizes(folder, segment)
    end = None
    try:
        end = _end(folder, expected, before)
    except (OSError, ValueError) as error:
        damages.append(_damage(expected, layout.END, error))
    if end and end["segments"] >= expected:
        damages.append(_missing(expected))
    if end is None and log and log.number > expected:
        damages.append(_missing(expected))
        before = None
    if end is None and log and log.number >= expected:
        tail = read_tail(log, before)
    if tail.segment:
        segments.append(tail.segment)
        before = tail.segment.before_next
    if tail.damage:
        damages.append(tail.damage)
    return Survey(
        head=head,
        segments=tuple(segments),
        last_hash=whole(segments, end["sha256"] if end else before[0] if before else ""),
        complete=end is not None,
        unfinished=sum(name.endswith(layout.UNFINISHED_SUFFIX) for name in names),
        torn=tail.torn,
        damages=tuple(damages),
    )


def survey_for_writing(folder: Path) -> Survey:
    """Look at a recording whose writer goes on; raises as `survey`, and `OSError` where the disk did not give a file.

    Such a file may be sound, and may hold what was acknowledged: nobody may set it aside for that.
    """
    seen = survey(folder)
    unread = next((damage for damage in seen.damages if damage.refused), None)
    if unread:
        raise OSError(errno.EIO, f"{unread.file} {unread.problem}")
    return seen


def _log(folder: Path) -> tuple[LogFile | None, Damage | None]:
    """Return the newest log, or why it cannot be read."""
    try:
        return newest_log(folder), None
    except (OSError, ValueError) as error:
        return None, _damage(0, layout.LOGS, error)


def _names(folder: Path) -> list[str]:
    """Return what stands in the folder of the segments, sorted."""
    parts = folder / layout.SEGMENTS
    if not os.path.lexists(parts):
        return []
    if parts.is_symlink() or not parts.is_dir():
        raise ValueError(f"is not read: it is {opening.kind_of_file(os.lstat(parts).st_mode)}, and no folder")
    names: list[str] = []
    with os.scandir(parts) as entries:
        for entry in entries:
            if len(names) >= NAMES:
                raise ValueError(f"has more than {NAMES} names, which no recording has")
            names.append(entry.name)
    return sorted(names)


def _head(folder: Path) -> dict[str, Any]:
    """Return `recording.json`."""
    path = folder / layout.RECORDING
    if not os.path.lexists(path):
        if (folder / layout.SEGMENTS).is_dir():
            raise DamagedRecording(f"{path} is missing while its segments are there: restore it from a copy.")
        what = f"has no {layout.RECORDING}" if folder.is_dir() else "is no folder"
        raise NotARecording(f"{folder} {what}: name the folder that `record` or `import` wrote into.")
    version = _format_version(folder)
    if version > FORMAT_VERSION:
        raise NewerFormat(
            f"{folder} has format version {version}, this hpaaudit reads up to {FORMAT_VERSION}: upgrade hpaaudit.",
        )
    try:
        return manifest.read_document(folder, layout.RECORDING)
    except (OSError, ValueError) as error:
        raise DamagedRecording(f"{path} {_problem(error)}: restore it from a copy.") from error


def _format_version(folder: Path) -> int:
    """Return the format version, our own where none can be read: then the document itself tells what is wrong."""
    try:
        head = json.loads(opening.read_at_most(folder, layout.RECORDING, DOCUMENT_BYTES))
    except (OSError, ValueError, RecursionError):
        return FORMAT_VERSION
    version = head.get("format_version") if isinstance(head, dict) else None
    sensible = type(version) is int and version < _NEWEST_VERSION
    return version if sensible else FORMAT_VERSION  # type: ignore[return-value]


def _places(names: list[str]) -> list[tuple[int, str]]:
    """Return the segments by number, each with its folder; what one stands for that has no place yet does not count."""
    numbers = {int(name): layout.segment_name(int(name)) for name in names if is_number(name)}
    bases = [int(stem) for name in names if (stem := name.removesuffix(layout.BASE_SUFFIX)) != name and is_number(stem)]
    for base in sorted(bases)[-1:]:
        numbers = {number: place for number, place in numbers.items() if number > base}
        numbers[base] = f"{layout.SEGMENTS}/{base:06d}{layout.BASE_SUFFIX}"
    return sorted(numbers.items())


def is_number(name: str) -> bool:
    """Tell whether a name is that of a segment as we write it: only one name means a number."""
    return _NUMBER.fullmatch(name) is not None and f"{int(name):06d}" == name


def whole(segments: list[Segment], last_hash: str) -> str:
    """Return a hash that leads to every byte: a segment is in no chain where it stands for others."""
    beside = "".join(segment.sha256 for segment in segments if segment.removed)
    return manifest.sha256_of(f"{beside}{last_hash}".encode()) if beside and last_hash else last_hash


def _segment(folder: Path, number: int, place: str, before: tuple[str, int] | None) -> Segment:
    """Return a segment by its manifest; `before`: hash and number of facts that it continues, None where unknown."""
    body = manifest.read_document(folder, f"{place}/{layout.MANIFEST}")
    segment = manifest.segment_from_body(body, place)
    follows = before is None or before == (segment.previous, segment.first_seq)
    if segment.removed and before:
        # What it has is less than what was there: its facts are the last of these numbers.
        fits = segment.repaired and 0 <= segment.first_seq - before[1] <= manifest.LEFT_OUT
        first_seq = before[1] if fits else 0
        follows = before == (segment.previous, first_seq)
    if segment.number != number or not follows:
        raise ValueError("does not continue the segment before it")
    return segment


def _end(folder: Path, expected: int, before: tuple[str, int] | None) -> dict[str, Any] | None:
    """Return `end.json`, None where the recording was not ended."""
    if not os.path.lexists(folder / layout.END):
        return None
    end = manifest.read_document(folder, layout.END)
    if before and end["segments"] == expected - 1 and (end["previous"], end["facts"]) != before:
        raise ValueError("does not end these segments")
    return end


def _sizes(folder: Path, segment: Segment) -> Iterator[Damage]:
    """Yield the files of a segment that are missing or have another size."""
    for file in segment.files:
        name = f"{segment.folder}/{file.name}"
        try:
            size = opening.size_of(folder, name)
        except (OSError, ValueError) as error:
            yield _damage(segment.number, name, error)
            continue
        if size != file.bytes:
            problem = f"has {size} bytes, its manifest says {file.bytes}"
            yield Damage(segment=segment.number, file=name, problem=problem)


def _missing(number: int) -> Damage:
    return Damage(segment=number, file=layout.segment_name(number), problem="is missing")


def _damage(number: int, file: str, error: Exception) -> Damage:
    return Damage(segment=number, file=file, problem=_problem(error), refused=_is_refused(error))


def _problem(error: Exception) -> str:
    """Say as a predicate what is wrong with a file."""
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return str(error)


def _is_refused(error: Exception) -> bool:
    """Whether the disk did not give a file that is there."""
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
