"""Reads the documents of a recording, and compares file names and sizes. It reads no table, and lists all damage."""

import errno
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpaaudit.errors import DamagedRecording, NewerFormat, NotARecording
from hpaaudit.model.counted import counted
from hpaaudit.model.file_hint import HEAD_BYTES, file_hint
from hpaaudit.model.inspection import Damage
from hpaaudit.model.nearest import did_you_mean
from hpaaudit.recording.files import layout, opening
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.manifest import Link, Segment
from hpaaudit.recording.format.reader_limits import DOCUMENT_BYTES, NAMES
from hpaaudit.recording.format.schema import FORMAT_VERSION
from hpaaudit.recording.reading.newest_log import LogFile, newest_log

_NUMBER = re.compile("[0-9]{6,9}")
_MAX_VERSION = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the documents of a recording say.

    head         `recording.json`
    segments     segments whose manifests can be read; the last one may be the log
    last_hash    hash of the last document: it covers every document before
    complete     there is an `end.json`
    unfinished   number of segments that were never finished
    torn         bytes at the end of the log that are no whole frame
    """

    head: dict[str, Any]
    segments: tuple[Segment, ...]
    last_hash: str
    complete: bool
    unfinished: int
    torn: int
    damages: tuple[Damage, ...]

    @property
    def sealed(self) -> tuple[Segment, ...]:
        """The segments that have files."""
        return tuple(segment for segment in self.segments if segment.log_tables is None)

    @property
    def log_segment(self) -> Segment | None:
        """The facts of the log, as the segment that they will be."""
        return next((segment for segment in self.segments if segment.log_tables is not None), None)


def survey_recording(folder: Path) -> Survey:
    """Looks at a recording, and lists everything that is damaged.

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if not even `recording.json` can be read.
    """
    head = _head(folder)
    log, log_damage = _newest_log(folder)  # first: a running recorder may seal it at any time
    chain = _Chain(folder, (head[manifest.HASH], 0))
    names: list[str] = []
    try:
        names = _segment_names(folder)
    except (OSError, ValueError) as error:
        chain.damages.append(_damage(1, layout.SEGMENTS, error))
    for number, segment_folder in _segment_folders(names):
        chain.follow_segment(number, segment_folder)
    end = chain.follow_end()
    torn = 0
    if log_damage:
        chain.damages.append(log_damage)
    elif log and end is None:
        torn = chain.follow_log(log)
    last_hash = end[manifest.HASH] if end else chain.link[0] if chain.link else ""
    return Survey(
        head=head,
        segments=tuple(chain.segments),
        last_hash=recording_hash(chain.segments, last_hash),
        complete=end is not None,
        unfinished=sum(name.endswith(layout.UNFINISHED_SUFFIX) for name in names),
        torn=torn,
        damages=tuple(chain.damages),
    )


class _Chain:
    """Follows the documents of a recording, each to the next, and collects what is damaged.

    link       what the next document must continue; None after a missing one
    expected   number of the next segment
    """

    def __init__(self, folder: Path, link: Link) -> None:
        self.folder = folder
        self.link: Link | None = link
        self.expected = 1
        self.segments: list[Segment] = []
        self.damages: list[Damage] = []

    def follow_segment(self, number: int, segment_folder: str) -> None:
        """Adds a segment, or why its manifest cannot be read."""
        try:
            segment = _segment(self.folder, number, segment_folder, self.link if number == self.expected else None)
            is_base = segment.removed is not None and not segment.repaired and self.expected == 1
            if number != self.expected and is_base and (segment.previous, 0) != self.link:
                raise ValueError("does not continue the segment before it")  # noqa: TRY301 it is a damage like others
        except (OSError, ValueError) as error:
            if number != self.expected:
                self.damages.append(_missing(self.expected))
            self.damages.append(_damage(number, f"{segment_folder}/{layout.MANIFEST}", error))
            self.expected, self.link = number + 1, None
            return
        if number != self.expected and not is_base:
            self.damages.append(_missing(self.expected))
        self.segments.append(segment)
        self.expected, self.link = number + 1, segment.next_link
        self.damages += _wrong_sizes(self.folder, segment)

    def follow_end(self) -> dict[str, Any] | None:
        """Returns `end.json`. None if the recording was not ended, or it is damaged."""
        try:
            end = _end(self.folder, self.expected, self.link)
        except (OSError, ValueError) as error:
            self.damages.append(_damage(self.expected, layout.END, error))
            return None
        if end and end["segments"] >= self.expected:
            self.damages.append(_missing(self.expected))
        return end

    def follow_log(self, log: LogFile) -> int:
        """Adds the facts of the log as a segment. Returns the number of bytes at its end that are no whole frame."""
        if log.number < self.expected:
            return 0
        if log.number > self.expected:
            self.damages.append(_missing(self.expected))
            self.link = None
        from hpaaudit.recording.reading.log_tail import read_tail

        tail = read_tail(log, self.link)
        if tail.segment:
            self.segments.append(tail.segment)
            self.link = tail.segment.next_link
        if tail.damage:
            self.damages.append(tail.damage)
        return tail.torn


def survey_for_writing(folder: Path) -> Survey:
    """Looks at a recording that is to be continued.

    Raises what `survey_recording` raises, and `OSError` if the disk does not give a file: the file may be sound and
    hold acknowledged facts, so it must not be quarantined for that.
    """
    survey = survey_recording(folder)
    unread = next((damage for damage in survey.damages if damage.refused), None)
    if unread:
        raise OSError(errno.EIO, f"{unread.file} {unread.problem}")
    return survey


def _newest_log(folder: Path) -> tuple[LogFile | None, Damage | None]:
    """The newest log, or why it cannot be read."""
    try:
        return newest_log(folder), None
    except (OSError, ValueError) as error:
        return None, _damage(0, layout.LOGS, error)


def _segment_names(folder: Path) -> list[str]:
    """The names in the folder of segments, sorted."""
    segments = folder / layout.SEGMENTS
    if not os.path.lexists(segments):
        return []
    if segments.is_symlink() or not segments.is_dir():
        raise ValueError(f"is not read: it is {opening.kind_of_file(os.lstat(segments).st_mode)}, and no folder")
    names: list[str] = []
    with os.scandir(segments) as entries:
        for entry in entries:
            if len(names) >= NAMES:
                raise ValueError(f"has more than {NAMES} names, which no recording has")
            names.append(entry.name)
    return sorted(names)


def recordings_beside(path: Path) -> list[str]:
    """The recordings in the folder in which a path lies, in a form that can be given instead of it."""
    try:
        return [str(found.parent) for found in path.parent.glob(f"*/{layout.RECORDING}")]
    except OSError:
        return []


def _why_no_recording(folder: Path) -> str:
    """What the folder contains instead of a recording, and what to do."""
    advice = "name the folder that `record` or `import` wrote into"
    if folder.is_dir():
        return f"has no {layout.RECORDING}: {advice}"
    try:
        if not folder.is_file():
            if folder.is_symlink() and not folder.exists():
                return f"is a link to what does not exist: {advice}"
            if folder.exists():
                return f"is not a folder: {advice}"
            return f"does not exist: {did_you_mean(str(folder), recordings_beside(folder), advice)}"
        with folder.open("rb") as file:
            return f"is a file: {file_hint(str(folder), file.read(HEAD_BYTES)) or advice}"
    except OSError:
        return f"is not a folder: {advice}"


def _head(folder: Path) -> dict[str, Any]:
    """`recording.json`. Raises what `survey_recording` raises."""
    path = folder / layout.RECORDING
    if not os.path.lexists(path):
        if (folder / layout.SEGMENTS).is_dir():
            raise DamagedRecording(f"{path} is missing while its segments are there: restore it from a copy.")
        why = _why_no_recording(folder)
        raise NotARecording(f"{folder} {why}{'' if why.endswith('?') else '.'}")
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
    """The format version. Ours if it cannot be read: reading the document says then what is wrong with it."""
    try:
        head = json.loads(opening.read_at_most(folder, layout.RECORDING, DOCUMENT_BYTES))
    except (OSError, ValueError, RecursionError):
        return FORMAT_VERSION
    version = head.get("format_version") if isinstance(head, dict) else None
    is_plausible = type(version) is int and version < _MAX_VERSION
    return version if is_plausible else FORMAT_VERSION  # type: ignore[return-value]


def _segment_folders(names: list[str]) -> list[tuple[int, str]]:
    """The segments by number, each with its folder. Those that an unfinished retention replaces do not count."""
    numbers = {int(name): layout.segment_name(int(name)) for name in names if is_number(name)}
    bases = [int(stem) for name in names if (stem := name.removesuffix(layout.BASE_SUFFIX)) != name and is_number(stem)]
    for base in sorted(bases)[-1:]:
        numbers = {number: name for number, name in numbers.items() if number > base}
        numbers[base] = f"{layout.SEGMENTS}/{base:06d}{layout.BASE_SUFFIX}"
    return sorted(numbers.items())


def is_number(name: str) -> bool:
    """True if `name` is the name of a segment as we write it: each number has one name only."""
    return _NUMBER.fullmatch(name) is not None and f"{int(name):06d}" == name


def recording_hash(segments: Sequence[Segment], last_hash: str) -> str:
    """The hash that covers every byte. A segment that replaces others is in no chain, so its hash is added here."""
    replacing = "".join(segment.sha256 for segment in segments if segment.removed)
    return manifest.sha256_of(f"{replacing}{last_hash}".encode()) if replacing and last_hash else last_hash


def _segment(folder: Path, number: int, segment_folder: str, link: Link | None) -> Segment:
    """Reads the manifest of a segment. `link` is what it must continue, None if unknown.

    Raises `OSError` or `ValueError`.
    """
    body = manifest.read_document(folder, f"{segment_folder}/{layout.MANIFEST}")
    segment = manifest.segment_from_body(body, segment_folder)
    follows = link is None or link == (segment.previous, segment.first_seq)
    if segment.removed and link:
        # It has fewer facts than the segments that it replaces. They have the last of the sequence numbers.
        fits = segment.repaired and 0 <= segment.first_seq - link[1] <= manifest.MAX_FREE_SEQS
        first_seq = link[1] if fits else 0
        follows = link == (segment.previous, first_seq)
    if segment.number != number or not follows:
        raise ValueError("does not continue the segment before it")
    return segment


def _end(folder: Path, expected: int, link: Link | None) -> dict[str, Any] | None:
    """`end.json`, None if the recording was not ended. Raises `OSError` or `ValueError`."""
    if not os.path.lexists(folder / layout.END):
        return None
    end = manifest.read_document(folder, layout.END)
    if link and end["segments"] == expected - 1 and (end["previous"], end["facts"]) != link:
        raise ValueError("does not end these segments")
    return end


def _wrong_sizes(folder: Path, segment: Segment) -> Iterator[Damage]:
    """Yields the files of a segment that are missing or have another size."""
    for file in segment.files:
        name = f"{segment.folder}/{file.name}"
        try:
            size = opening.size_of(folder, name)
        except (OSError, ValueError) as error:
            yield _damage(segment.number, name, error)
            continue
        if size != file.bytes:
            problem = f"has {counted(size, 'byte')}, its manifest says {file.bytes}"
            yield Damage(segment=segment.number, file=name, problem=problem)


def _missing(number: int) -> Damage:
    return Damage(segment=number, file=layout.segment_name(number), problem="is missing")


def _damage(number: int, file: str, error: Exception) -> Damage:
    return Damage(segment=number, file=file, problem=_problem(error), refused=_is_refused(error))


def _problem(error: Exception) -> str:
    """What is wrong with a file, as a predicate."""
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return str(error)


def _is_refused(error: Exception) -> bool:
    """True if the file is there, and the disk did not give it."""
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
