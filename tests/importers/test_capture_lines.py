"""Files: plain, gzip or zstd, several merged by time; and what is refused, with file and line."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from hpaaudit.errors import AuditError, BadCapture
from hpaaudit.flows.importing import import_capture
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import Ended, Fact, ScaleWritten
from tests.importers.lines import SCALE, at, get_line, line, scale, text_of, write

LINES = [get_line(0, SCALE, scale(3)), line(15, reconcile="shop/web"), line(30, end=True)]


def _facts(*paths: Path) -> list[Fact]:
    return list(Reader(paths).facts())


def _zstd(path: Path, text: str) -> None:
    with pa.output_stream(str(path), compression="zstd") as stream:
        stream.write(text.encode())


def test_a_file_is_read_plain_gzipped_and_zstandard(tmp_path: Path) -> None:
    plain, gzipped, zstd = write(tmp_path, *LINES), tmp_path / "a.gz", tmp_path / "no-suffix"
    gzipped.write_bytes(gzip.compress(text_of(LINES).encode()))
    _zstd(zstd, text_of(LINES))
    assert _facts(plain) == _facts(gzipped) == _facts(zstd)
    assert len(_facts(plain)) == 3


def test_empty_lines_are_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n" + text_of(LINES).replace("\n", "\n  \n"))
    assert _facts(path) == _facts(write(tmp_path, *LINES))


def test_several_files_are_merged_by_time_and_equal_times_keep_their_order(tmp_path: Path) -> None:
    one = write(tmp_path, get_line(0, SCALE, scale(1)), get_line(20, SCALE, scale(3)), name="one")
    other = write(tmp_path, get_line(10, SCALE, scale(2)), get_line(20, SCALE, scale(4)), name="other")
    read = [fact.scale.spec_replicas for fact in _facts(one, other) if hasattr(fact, "scale") and fact.scale]
    assert read == [1, 2, 3, 4]


def test_one_end_among_several_files_is_enough(tmp_path: Path) -> None:
    one = write(tmp_path, get_line(0, SCALE, scale(1)), line(30, end=True), name="one")
    other = write(tmp_path, get_line(10, SCALE, scale(2)), name="other")
    assert [fact for fact in _facts(one, other) if isinstance(fact, Ended)] == [Ended(at_us=at(30))]


def test_a_second_backwards_is_borne_and_more_is_refused(tmp_path: Path) -> None:
    borne = write(tmp_path, get_line(10, SCALE, scale(1)), get_line(9, SCALE, scale(2)))
    assert len(_facts(borne)) == 3
    refused = write(
        tmp_path, get_line(10, SCALE, scale(1)), get_line(9.5, SCALE, scale(2)), get_line(8.999, SCALE, scale(3))
    )
    with pytest.raises(BadCapture, match=r"capture\.jsonl:3: this line is 1\.001 s earlier .* sort the file"):
        _facts(refused)


GOOD = json.dumps(LINES[0])
BAD: list[tuple[str, str, str]] = [
    ("not JSON", f"{GOOD}\n{{oops", r":2: not JSON \(.*one JSON object per line"),
    ("not an object", f"{GOOD}\n[1]", ":2: not a JSON object"),
    ("no time", f'{GOOD}\n{{"get": "/x"}}', r":2: the field 'at' is missing; every line needs at"),
    ("a time without a zone", '{"at": "2026-03-02T14:00:00"}', ":1: '2026-03-02T14:00:00' is not an RFC 3339 time"),
    ("a time that is a number", '{"at": 5}', ":1: .*every line needs at"),
    ("a read without a status", '{"at": "2026-03-02T14:00:00Z", "get": "/x"}', ":1: the field 'status' is missing"),
    ("a watch without a type", '{"at": "2026-03-02T14:00:00Z", "watch": "/api/v1/pods"}', ":1: the field 'type'"),
    ("a reconcile without a namespace", '{"at": "2026-03-02T14:00:00Z", "reconcile": "web"}', ":1: "),
    ("an unknown state", '{"at": "2026-03-02T14:00:00Z", "controller": "asleep"}', ":1: controller must be started"),
    ("a gap without an end", '{"at": "2026-03-02T14:00:00Z", "gap": "*"}', ":1: the field 'until' is missing"),
    ("an object without a name",
        '{"at": "2026-03-02T14:00:00Z", "watch": "/api/v1/pods", "type": "ADDED", "object": {"metadata": 5}}', ":1: "),
    ("a quantity that is none", ('{"at": "2026-03-02T14:00:00Z", "get": '
        '"/apis/external.metrics.k8s.io/v1beta1/namespaces/s/q", "status": 200, "body": {"items": [{"value": "x"}]}}'),
        ":1: 'x' is not a quantity"),
    ("a status beyond all numbers", '{"at": "2026-03-02T14:00:00Z", "get": "/version", "status": 1e999}',
        ":1: cannot convert float infinity to integer; correct or drop this line"),
    ("not text", f"{GOOD}\n\udcff\udcfe", "cannot be read further"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_line_is_refused_with_file_and_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(BadCapture, match=words) as refused:
        _facts(path)
    assert str(refused.value).startswith(f"{path}:")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadCapture, match="nowhere: no such file"):
        _facts(tmp_path / "nowhere")


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_compressed_file_that_was_cut_off_is_refused(tmp_path: Path, kind: str) -> None:
    many = text_of([get_line(second, SCALE, scale(second)) for second in range(3000)])
    path = tmp_path / "cut"
    if kind == "gzip":
        path.write_bytes(gzip.compress(many.encode()))
    else:
        _zstd(path, many)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(BadCapture, match=r"cut:\d+: cannot be read further .*fetch the file again"):
        _facts(path)


@pytest.mark.parametrize("text", ["", "\n\n", f"{GOOD}\n{GOOD}\n{{oops", f"{GOOD}\n[]"])
def test_an_import_that_fails_leaves_nothing_behind(tmp_path: Path, text: str) -> None:
    path, into = tmp_path / "bad.jsonl", tmp_path / "recording"
    path.write_text(text)
    with pytest.raises(BadCapture):
        import_capture([path], into=into)
    assert not into.exists()
    assert sorted(tmp_path.iterdir()) == [path]


def test_an_import_never_touches_a_recording_that_is_there(tmp_path: Path) -> None:
    good, bad = write(tmp_path, *LINES), write(tmp_path, *LINES[::-1], name="bad")
    into = import_capture([good], into=tmp_path / "recording").recording
    before = sorted((path, path.read_bytes()) for path in into.rglob("*") if path.is_file())
    for capture in (good, bad):
        with pytest.raises(AuditError):
            import_capture([capture], into=into)
    assert sorted((path, path.read_bytes()) for path in into.rglob("*") if path.is_file()) == before


def test_an_import_counts_facts_and_what_it_did_not_know(tmp_path: Path) -> None:
    path = write(tmp_path, *LINES[:2], get_line(20, "/api/v1/nodes", {"items": []}), LINES[2])
    imported = import_capture([path], into=tmp_path / "recording")
    assert (imported.facts, imported.ignored) == (3, (("nodes", 1),))
    assert imported.recording.is_dir()


def test_a_dry_run_stores_nothing(tmp_path: Path) -> None:
    """The API server answers it as if it had."""
    tried = line(7, put=f"{SCALE}?dryRun=All&fieldManager=kubectl", status=200, body=scale(2), by="alice")
    made = line(9, put=f"{SCALE}?fieldManager=kubectl", status=200, body=scale(3), by="bob")
    written = [fact for fact in _facts(write(tmp_path, tried, made)) if isinstance(fact, ScaleWritten)]
    assert [fact.by for fact in written] == ["bob"]
