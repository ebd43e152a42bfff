"""Reads and writes the documents of a recording. Each names the hash of the one before, and ends with its own."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hpaaudit.model.counted import counted
from hpaaudit.model.units import LAST_US, Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_at_most
from hpaaudit.recording.format.reader_limits import DOCUMENT_BYTES, SEGMENT_BYTES, SEGMENT_FACTS, SEGMENT_VALUES
from hpaaudit.recording.format.schema import PARTS, TABLES

HASH = "sha256"
MAX_FREE_SEQS = 2 << 20
"""At most so many sequence numbers may be unused before a repaired segment: far more than a segment holds."""

Link = tuple[str, int]
"""What a segment continues: the hash of the document before it, and the number of its own first fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What a manifest says of the file of a table."""

    table: str
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """The name of the file in the segment's folder."""
        return self.table + layout.PARQUET_SUFFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """The segments that a segment replaces: those from 1 up to its own number, which were removed.

    facts               how many facts they held
    first_us, last_us   least and greatest `at_us` of these facts
    sha256              hash of the manifest of the last of them
    """

    facts: int
    first_us: Micros
    last_us: Micros
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a recording: the facts from number `first_seq` on.

    first_us, last_us   least and greatest `at_us` of its facts
    previous            hash of the document before it
    removed             the segments that it replaces; None: it replaces none
    repaired            it replaces a damaged segment, and the segment before it is still there
    renamed_folder      its folder, relative to the recording's, if it has not the name of its number yet
    log_tables          its rows as Arrow tables if it is not sealed: it has no files then, its facts are in the log
    """

    number: int
    first_seq: int
    facts: int
    first_us: Micros
    last_us: Micros
    files: tuple[File, ...]
    previous: str
    sha256: str
    removed: Removed | None = None
    repaired: bool = False
    renamed_folder: str = ""
    log_tables: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def folder(self) -> str:
        """The folder of the segment, relative to the recording's."""
        return self.renamed_folder or layout.segment_name(self.number)

    @property
    def next_link(self) -> Link:
        """What the next segment continues."""
        if self.removed:
            return self.removed.sha256, self.removed.facts
        return self.sha256, self.first_seq + self.facts

    def file(self, table: str) -> File | None:
        """The file of a table, None if the segment has no rows for it."""
        return next((file for file in self.files if file.table == table), None)


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def render(body: dict[str, Any]) -> tuple[bytes, str]:
    """The bytes of a document as they are in its file, and its hash."""
    sha256 = sha256_of(_text(body))
    return _text(body | {HASH: sha256}), sha256


def _text(body: dict[str, Any]) -> bytes:
    return (json.dumps(body, indent=1) + "\n").encode()


Count = Annotated[int, Meta(ge=0, le=1 << 53)]
Positive = Annotated[int, Meta(ge=1, le=1 << 53)]
Time = Annotated[int, Meta(ge=0, le=LAST_US)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class _Head(msgspec.Struct):
    """The fields of `recording.json`."""

    format_version: Positive
    source: str
    cluster: str
    recorder_version: str
    started_us: Time
    sha256: Hash


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a manifest that describe a table's file."""

    rows: Positive
    bytes: Positive
    sha256: Hash


class _Removed(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a manifest that describe removed segments."""

    facts: Count
    first_us: Time
    last_us: Time
    sha256: Hash


class _Manifest(msgspec.Struct):
    """The fields of a manifest."""

    number: Annotated[int, Meta(ge=1, lt=10**9)]
    first_seq: Count
    facts: Positive
    first_us: Time
    last_us: Time
    tables: dict[str, _File]
    previous: Hash
    sha256: Hash
    removed: _Removed | None = None


class _End(msgspec.Struct):
    """The fields of `end.json`."""

    segments: Count
    facts: Count
    previous: Hash
    sha256: Hash


_FIELDS = {layout.RECORDING: _Head, layout.MANIFEST: _Manifest, layout.END: _End}


def load_document(path: Path) -> dict[str, Any]:
    """A document whose folder is known to be no link. Raises as `read_document` does."""
    return read_document(path.parent, path.name)


def read_document(folder: Path, name: str) -> dict[str, Any]:
    """A document of a recording, by its name in the recording's folder.

    Raises `ValueError` if it differs from what was written by any byte, or has other fields than such a document;
    `OSError` if it cannot be read.
    """
    data = read_at_most(folder, name, DOCUMENT_BYTES)
    try:
        body = json.loads(data)
        is_unchanged = isinstance(body, dict) and render({key: body[key] for key in body if key != HASH})[0] == data
    except (ValueError, RecursionError):
        is_unchanged = False
    if not is_unchanged:
        raise ValueError("differs from what was written")
    fields = _FIELDS[name.rpartition("/")[-1]]
    try:
        msgspec.convert(body, fields)
    except msgspec.ValidationError as error:
        raise ValueError(f"has content that such a document cannot have ({error})") from error
    return body  # type: ignore[no-any-return]


def segment_body(segment: Segment) -> dict[str, Any]:
    """The manifest of a segment, without its hash."""
    return {
        "number": segment.number,
        "first_seq": segment.first_seq,
        "facts": segment.facts,
        "first_us": segment.first_us,
        "last_us": segment.last_us,
        "tables": {
            file.table: {"rows": file.rows, "bytes": file.bytes, "sha256": file.sha256} for file in segment.files
        },
        **({"removed": asdict(segment.removed)} if segment.removed else {}),
        **({"repaired": True} if segment.repaired else {}),
        "previous": segment.previous,
    }


def segment_from_body(body: dict[str, Any], renamed_folder: str = "") -> Segment:
    """The inverse of `segment_body`. Raises `ValueError` if no writer makes such a segment."""
    removed = body.get("removed")
    segment = Segment(
        number=body["number"],
        first_seq=body["first_seq"],
        facts=body["facts"],
        first_us=body["first_us"],
        last_us=body["last_us"],
        files=tuple(File(table=table, **sizes) for table, sizes in body["tables"].items()),
        previous=body["previous"],
        sha256=body[HASH],
        removed=Removed(**removed) if removed else None,
        repaired=body.get("repaired") is True,
        renamed_folder=renamed_folder,
    )
    problem = segment_problem(segment)
    if problem:
        raise ValueError(problem)
    return segment


def segment_problem(segment: Segment) -> str:
    """Why no writer makes such a segment, as a predicate. Empty if one may."""
    unknown = [file.table for file in segment.files if file.table not in TABLES]
    if unknown:
        return f"names files that this format does not have: {', '.join(name[:40] for name in unknown[:3])}"
    size = sum(file.bytes for file in segment.files)
    values = sum(file.rows * len(TABLES[file.table].columns) for file in segment.files)
    if size > SEGMENT_BYTES or values > SEGMENT_VALUES or segment.facts > SEGMENT_FACTS:
        claims = f"{counted(segment.facts, 'fact')}, {counted(values, 'value')} and {counted(size, 'byte')}"
        return f"claims {claims}, more than a segment can have"
    rows = sum(file.rows for file in segment.files if file.table not in PARTS)
    if rows != segment.facts:
        return f"claims {counted(segment.facts, 'fact')} in {counted(rows, 'row')}"
    removed = segment.removed
    if segment.first_us > segment.last_us or (removed and removed.first_us > removed.last_us):
        return "claims to end before it begins"
    if removed and removed.facts != segment.first_seq + segment.facts:
        last = segment.first_seq + segment.facts
        return f"claims to replace {counted(removed.facts, 'fact')}, and ends with fact {last}"
    return ""
