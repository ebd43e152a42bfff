"""Names what lies in a recording's folder and is no part of it: nobody reads it, nobody should take it for evidence."""

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
_RESULTS = re.compile(r".*\.duckdb(\.wal)?|\..*\.duckdb\.\w+\.tmp")
_SEGMENT = re.compile(r"\d{6,9}(\.base|\.repaired)?(\.tmp|\.removed)?", re.ASCII)
_LOG = re.compile(r"\d{6,9}\.wal(\.tmp)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """What is no part of a recording.

    names   inside its folder, the first thousand, each with what it is if that is no file;  count   all of them
    """

    names: tuple[str, ...]
    count: int


def foreign_files(folder: Path, segments: Sequence[Segment]) -> Foreign:
    """Look at the names in a recording's folder; what cannot be listed is left out."""
    names: list[str] = []
    count = 0
    for name in _foreign(folder, segments):
        count += 1
        if len(names) < FOREIGN_NAMED:
            names.append(name)
    return Foreign(names=tuple(sorted(names)), count=count)


def _foreign(folder: Path, segments: Sequence[Segment]) -> Iterator[str]:
    links = set()
    for entry in _entries(folder):
        if entry.is_symlink():
            links.add(entry.name)
        if entry.name in _FOLDERS:
            if not _is(entry, stat.S_IFDIR):
                yield _said(entry)
        elif not (
            (_is(entry, stat.S_IFREG) and any(known.fullmatch(entry.name) for known in (_DOCUMENTS, _NOTES, _RESULTS)))
            or (_is(entry, stat.S_IFDIR) and _RESULTS.fullmatch(entry.name) and entry.name.endswith(".spill"))
        ):
            yield _said(entry)
    for entry in _entries(folder / layout.LOGS) if layout.LOGS not in links else ():
        if not (_is(entry, stat.S_IFREG) and _LOG.fullmatch(entry.name)):
            yield _said(entry, layout.LOGS)
    for entry in _entries(folder / layout.SEGMENTS) if layout.SEGMENTS not in links else ():
        if not (_is(entry, stat.S_IFDIR) and _SEGMENT.fullmatch(entry.name)):
            yield _said(entry, layout.SEGMENTS)
    for segment in segments:
        if segment.held is None:
            known = {layout.MANIFEST, layout.UPLOADED, *(file.name for file in segment.files)}
            for entry in _entries(folder / segment.folder):
                if entry.name not in known or not _is(entry, stat.S_IFREG):
                    yield _said(entry, segment.folder)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What stands in a folder; nothing where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _is(entry: os.DirEntry[str], wanted: int) -> bool:
    if wanted == stat.S_IFDIR:
        return entry.is_dir(follow_symlinks=False)
    return entry.is_file(follow_symlinks=False)


def _said(entry: os.DirEntry[str], above: str = "") -> str:
    """The name of something foreign, with what it is where that is no file."""
    name = f"{above}/{entry.name}" if above else entry.name
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return name
    return name if stat.S_ISREG(mode) else f"{name} ({kind_of_file(mode)})"
