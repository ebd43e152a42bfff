"""Documents with right hashes and any contents: an error of one line that names the document, or a sound recording."""

import json
import tempfile
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.errors import RecordingError
from hpaaudit.recording.format import manifest, reader_limits
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.upkeep.retention import remove_segments, sealed_segments
from tests.recording.false_contents import Body, tell
from tests.recording.small import small

DOCUMENTS = ("recording.json", "segments/000001/manifest.json", "segments/000002/manifest.json", "end.json")
ODD = (
    st.none() | st.booleans() | st.integers() | st.sampled_from([-1, 0, 2**31, 2**63, 2**64, 10**30, -(2**63)])
    | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
    | st.sampled_from(["", "../../etc", "segments", "0" * 64, "g" * 64, "F" * 64])
)  # fmt: skip
VALUES = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


def fields_of(body: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every field of a document, and those in it."""
    collected = []
    for name, value in body.items():
        collected.append((*path, name))
        if isinstance(value, dict):
            collected += fields_of(value, (*path, name))
    return collected


def with_field(body: Body, path: tuple[str, ...], value: Any, *, gone: bool) -> Body:
    """A document with another value in one field, or without it."""
    name, *rest = path
    if rest:
        return body | {name: with_field(body[name], tuple(rest), value, gone=gone)}
    return {key: one for key, one in body.items() if key != name} if gone else body | {name: value}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small(tmp_path_factory.mktemp("documents") / "friday", reconciles=True)


def problems_of(folder: Path) -> list[str]:
    """What verifying and opening say: one line each, or nothing where it is sound."""
    lines = []
    try:
        lines += [f"{damage.file} {damage.problem}" for damage in verify(folder, reread=True).damages]
    except RecordingError as error:
        lines.append(str(error))
    try:
        list(open_recording(folder).facts())
    except RecordingError as error:
        lines.append(str(error))
    assert all("\n" not in line and len(line) < 2000 for line in lines)
    return lines


def test_any_value_in_any_field_of_a_document_is_one_line(sound: Path) -> None:
    bodies = {name: json.loads((sound / name).read_bytes()) for name in DOCUMENTS}
    places = [(name, path) for name, body in bodies.items() for path in fields_of(body) if path != ("sha256",)]

    @settings(max_examples=250, deadline=None)
    @given(st.sampled_from(places), VALUES, st.booleans())
    def law(field_path: tuple[str, tuple[str, ...]], value: Any, gone: bool) -> None:
        name, path = field_path
        with tempfile.TemporaryDirectory() as away:
            folder = Path(away) / "r"
            copytree(sound, folder)

            def change(document: str, body: Body) -> Body:
                return with_field(body, path, value, gone=gone) if document == name else body

            tell(folder, {}, change=change)
            message = problems_of(folder)
        # A span that is wider than its facts contradicts nothing.
        free = path[0] in ("source", "cluster", "recorder_version", "started_us", "first_us", "last_us")
        assert message or free or bodies[name] == with_field(bodies[name], path, value, gone=gone) or gone

    law()


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"1" * 10_000,
     b'{"format_version": 1e400}',
     b'{"format_version": ' + b"9" * 5000 + b"}", b'{"format_version": true}',
     b" " * (reader_limits.DOCUMENT_BYTES + 1)],
    ids=range(13),
)  # fmt: skip
def test_a_document_that_is_none_is_named(sound: Path, tmp_path: Path, name: str, data: bytes) -> None:
    folder = tmp_path / "r"
    copytree(sound, folder)
    (folder / name).write_bytes(data)
    message = problems_of(folder)
    assert message
    assert name in message[0]


@pytest.mark.parametrize(
    "table", ["../../../etc/passwd", "/etc/passwd", "manifest.json", "a" * 10_000, "hpas/../hpas", "\x1b[31m", ""]
)
def test_a_table_that_leads_elsewhere_is_no_table(sound: Path, tmp_path: Path, table: str) -> None:
    folder = tmp_path / "r"
    copytree(sound, folder)

    def change(name: str, body: Body) -> Body:
        if name != DOCUMENTS[1]:
            return body
        return body | {"tables": body["tables"] | {table: {"rows": 1, "bytes": 1, "sha256": "0" * 64}}}

    tell(folder, {}, change=change)
    assert "names files that this format does not have" in problems_of(folder)[0]


def test_a_segment_that_claims_more_than_any_can_have_is_not_read(sound: Path, tmp_path: Path) -> None:
    for field, value in (("bytes", reader_limits.SEGMENT_BYTES + 1), ("rows", reader_limits.SEGMENT_VALUES)):
        folder = tmp_path / field
        copytree(sound, folder)

        def change(name: str, body: Body, field: str = field, value: int = value) -> Body:
            if name != DOCUMENTS[1]:
                return body
            pods = body["tables"]["pods"] | {field: value}
            return body | {"tables": body["tables"] | {"pods": pods}, "facts": body["facts"] - 2 + pods["rows"]}

        tell(folder, {}, change=change)
        assert "more than a segment can have" in problems_of(folder)[0]


def test_two_names_of_one_number_are_not_two_segments(sound: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    copytree(sound, folder)
    for name in ("1", "0000001", "\u0660\u0660\u0660\u0660\u0660\u0661", "000001 "):
        copytree(folder / "segments/000001", folder / "segments" / name)
    assert problems_of(folder) == []
    assert verify(folder).segments == 2


def test_the_documents_that_we_write_are_documents(sound: Path) -> None:
    for name in DOCUMENTS:
        assert manifest.read_document(sound, name)


@pytest.mark.parametrize(
    ("field", "value"), [("facts", -1), ("facts", 0), ("facts", 10**6), ("last_us", 0), ("sha256", "0" * 64)]
)
def test_a_segment_that_stands_for_others_and_lies_about_them_is_named(folder: Path, field: str, value: Any) -> None:
    assert remove_segments(folder, sealed_segments(folder), 2, "removed by retention: older than 1 h")
    assert problems_of(folder) == []
    path = folder / "segments/000002/manifest.json"
    body = json.loads(path.read_bytes())
    del body["sha256"]
    path.write_bytes(manifest.render(body | {"removed": body["removed"] | {field: value}})[0])
    message = problems_of(folder)
    assert message
    assert "segments/00000" in message[0]
