"""Lists files in a recording's folder that are no part of it. Nobody reads them, so they prove nothing."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import kind_of_file
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.reader_limits import FOREIGN_NAMED

_DOCUMENTS = re.compile(r"(recording\.json|end\.json)(\.tmp)?|ballast(\.tmp)?|\.?lock")
_FOLDERS = (layout.SEGMENTS, layout.LOGS, layout.QUARANTINE, "lost+found")
_NOTES = re.compile(r"(README|LICENSE|NOTICE)(\..*)?|.*\.(md|txt|sig|minisig|bundle|pem)", re.IGNORECASE)
_RESULTS = re.compile(r".*\.duckdb(\.wal)?")
_UNFINISHED_RESULTS = re.compile(r"\..*\.duckdb\.\w+\.tmp")
_SEGMENT = re.compile(r"\d{6,9}(\.base|\.repaired)?(\.tmp|\.removed)?", re.ASCII)
_LOG = re.compile(r"\d{6,9}\.wal(\.tmp)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """Files that are no part of a recording.

    names   of the first thousand, relative to its folder; with its kind if one is no regular file
    count   number of all
    """

    names: tuple[str, ...]
    count: int


def foreign_files(folder: Path, segments: Sequence[Segment]) -> Foreign:
    """The foreign files in a recording's folder. Folders that cannot be listed are left out."""
    names: list[str] = []
    count = 0
    for name in _foreign(folder, segments):
        count += 1
        if len(names) < FOREIGN_NAMED:
            names.append(name)
    return Foreign(names=tuple(sorted(names)), count=count)


def _foreign(folder: Path, segments: Sequence[Segment]) -> Iterator[str]:
    """Yields the foreign names in the folder, among its logs and segments, and in each segment."""
    links = set()
    for entry in _entries(folder):
        if entry.is_symlink():
            links.add(entry.name)
        if not _is_expected(entry):
            yield _described(entry)
    for parent, file_type, pattern in ((layout.LOGS, stat.S_IFREG, _LOG), (layout.SEGMENTS, stat.S_IFDIR, _SEGMENT)):
        for entry in _entries(folder / parent) if parent not in links else ():
            if not (_is(entry, file_type) and pattern.fullmatch(entry.name)):
                yield _described(entry, parent)
    for segment in segments:
        if segment.log_tables is None:
            yield from _foreign_in_segment(folder, segment)


def _foreign_in_segment(folder: Path, segment: Segment) -> Iterator[str]:
    own_names = {layout.MANIFEST, layout.UPLOADED, *(file.name for file in segment.files)}
    for entry in _entries(folder / segment.folder):
        if entry.name not in own_names or not _is(entry, stat.S_IFREG):
            yield _described(entry, segment.folder)


def _is_expected(entry: os.DirEntry[str]) -> bool:
    """True for our folders and documents, for notes, and for results of replays, finished ones and running ones."""
    if _is(entry, stat.S_IFDIR):
        return entry.name in _FOLDERS or _UNFINISHED_RESULTS.fullmatch(entry.name) is not None
    is_named = any(pattern.fullmatch(entry.name) for pattern in (_DOCUMENTS, _NOTES, _RESULTS))
    return is_named and _is(entry, stat.S_IFREG)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yields what a folder contains. Nothing if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _is(entry: os.DirEntry[str], file_type: int) -> bool:
    if file_type == stat.S_IFDIR:
        return entry.is_dir(follow_symlinks=False)
    return entry.is_file(follow_symlinks=False)


def _described(entry: os.DirEntry[str], parent: str = "") -> str:
    """The name of a foreign file, with its kind if it is no regular file."""
    name = f"{parent}/{entry.name}" if parent else entry.name
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return name
    return name if stat.S_ISREG(mode) else f"{name} ({kind_of_file(mode)})"
