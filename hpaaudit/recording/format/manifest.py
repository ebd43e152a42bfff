"""The documents of a recording: each names the hash of the one before, and ends with its own."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hpaaudit.model.units import LAST_US, Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import read_at_most
from hpaaudit.recording.format.reader_limits import DOCUMENT_BYTES, SEGMENT_BYTES, SEGMENT_FACTS, SEGMENT_VALUES
from hpaaudit.recording.format.schema import PARTS, TABLES

HASH = "sha256"
LEFT_OUT = 2 << 20
"""So many numbers of facts may be free before a repaired segment: far more than a segment holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What the file of a table must be."""

    table: str
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """Its name in the segment's folder."""
        return self.table + layout.PARQUET_SUFFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What a segment stands for: the segments 1 up to its own number, which were removed.

    facts               that they held
    first_us, last_us   least and greatest `at_us` of these
    sha256              hash of the manifest of the last of them
    """

    facts: int
    first_us: Micros
    last_us: Micros
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of a recording: the facts `first_seq` up to `first_seq + facts`.

    first_us, last_us   least and greatest `at_us` of its facts
    previous            hash of the document before this one
    removed             what it stands for; None: for itself
    repaired            it has the place of a damaged one, after a segment that is still there
    place               its folder, relative to the recording's, where that is not the one of its number
    held                Arrow tables of its rows where it is not sealed, for then it has no files
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
    place: str = ""
    held: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def folder(self) -> str:
        """Its folder, relative to the recording's."""
        return self.place or layout.segment_name(self.number)

    @property
    def before_next(self) -> tuple[str, int]:
        """What the next one continues: the hash that it names, and the number of its first fact."""
        if self.removed:
            return self.removed.sha256, self.removed.facts
        return self.sha256, self.first_seq + self.facts

    def file(self, table: str) -> File | None:
        """Return the file of a table, None where the segment has no rows for it."""
        return next((file for file in self.files if file.table == table), None)


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def render(body: dict[str, Any]) -> tuple[bytes, str]:
    """Return a document as it stands in its file, and its hash."""
    sha256 = sha256_of(_text(body))
    return _text(body | {HASH: sha256}), sha256


def _text(body: dict[str, Any]) -> bytes:
    return (json.dumps(body, indent=1) + "\n").encode()


Count = Annotated[int, Meta(ge=0, le=1 << 53)]
Some = Annotated[int, Meta(ge=1, le=1 << 53)]
Time = Annotated[int, Meta(ge=0, le=LAST_US)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class _Head(msgspec.Struct):
    """What `recording.json` must have."""

    format_version: Some
    source: str
    cluster: str
    recorder_version: str
    started_us: Time
    sha256: Hash


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """What a manifest must say of a table's file."""

    rows: Some
    bytes: Some
    sha256: Hash


class _Removed(msgspec.Struct, forbid_unknown_fields=True):
    """What a manifest must say of segments that were removed."""

    facts: Count
    first_us: Time
    last_us: Time
    sha256: Hash


class _Manifest(msgspec.Struct):
    """What a manifest must have."""

    number: Annotated[int, Meta(ge=1, lt=10**9)]
    first_seq: Count
    facts: Some
    first_us: Time
    last_us: Time
    tables: dict[str, _File]
    previous: Hash
    sha256: Hash
    removed: _Removed | None = None


class _End(msgspec.Struct):
    """What `end.json` must have."""

    segments: Count
    facts: Count
    previous: Hash
    sha256: Hash


_SHAPES = {layout.RECORDING: _Head, layout.MANIFEST: _Manifest, layout.END: _End}


def load_document(path: Path) -> dict[str, Any]:
    """Return a document whose folder is known to be no link; raises as `read_document` does."""
    return read_document(path.parent, path.name)


def read_document(folder: Path, name: str) -> dict[str, Any]:
    """Return a document of a recording, by its name inside the recording's folder.

    Raises `ValueError` where it is not what was written, byte by byte, or not what such a document says; `OSError`
    where it cannot be read.
    """
    data = read_at_most(folder, name, DOCUMENT_BYTES)
    try:
        body = json.loads(data)
        written = isinstance(body, dict) and render({key: body[key] for key in body if key != HASH})[0] == data
    except (ValueError, RecursionError):
        written = False
    if not written:
        raise ValueError("differs from what was written")
    shape = _SHAPES[name.rpartition("/")[-1]]
    try:
        msgspec.convert(body, shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"says what no such document can say ({error})") from error
    return body  # type: ignore[no-any-return]


def segment_body(segment: Segment) -> dict[str, Any]:
    """Return what the manifest of a segment says, without its hash."""
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


def segment_from_body(body: dict[str, Any], place: str = "") -> Segment:
    """Return what `segment_body` was given; raises `ValueError` where no segment can be so."""
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
        place=place,
    )
    problem = segment_problem(segment)
    if problem:
        raise ValueError(problem)
    return segment


def segment_problem(segment: Segment) -> str:
    """Say as a predicate why no writer makes such a segment; empty where one may."""
    unknown = [file.table for file in segment.files if file.table not in TABLES]
    if unknown:
        return f"names files that this format does not have: {', '.join(name[:40] for name in unknown[:3])}"
    size = sum(file.bytes for file in segment.files)
    values = sum(file.rows * len(TABLES[file.table].columns) for file in segment.files)
    if size > SEGMENT_BYTES or values > SEGMENT_VALUES or segment.facts > SEGMENT_FACTS:
        return f"claims {segment.facts} facts, {values} values and {size} bytes, more than a segment can have"
    rows = sum(file.rows for file in segment.files if file.table not in PARTS)
    if rows != segment.facts:
        return f"claims {segment.facts} facts in {rows} rows"
    removed = segment.removed
    if segment.first_us > segment.last_us or (removed and removed.first_us > removed.last_us):
        return "claims to end before it begins"
    if removed and removed.facts != segment.first_seq + segment.facts:
        return f"claims to stand for {removed.facts} facts, and ends with fact {segment.first_seq + segment.facts}"
    return ""
