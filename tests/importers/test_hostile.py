"""Hostile captures: each is a recording that verifies and can be replayed, or one line with file and number.

HPAAUDIT_CAPTURES=5000 tries so many mutated captures instead of a few.
"""

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpaaudit.errors import BadCapture
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import replayed_reconciles
from hpaaudit.importers import capture_lines
from hpaaudit.recording.inspection.verify import verify
from tests.importers.lines import (
    HPAS,
    PODS,
    SCALE,
    USAGE,
    get_line,
    hpa,
    items,
    line,
    running,
    saw,
    scale,
    text_of,
    usage,
)
from tests.memory import PEAK_MEGABYTES
from tests.outcome import outcome

EXAMPLES = int(os.environ.get("HPAAUDIT_CAPTURES", "150"))
GOOD = [
    line(0, controller="started", release="1.36", flags={"v": "2"}, gates={"A": True}),
    saw(1, HPAS, "ADDED", hpa()),
    saw(1, PODS, "ADDED", running("web-0")),
    get_line(2, SCALE, scale(2), ms=3.5, by="someone"),
    get_line(3, USAGE, usage(web_0=900)),
    get_line(3, "/version", {"gitVersion": "v1.36.0"}),
    get_line(4, PODS, items(running("web-0"), running("web-1"))),
    line(5, reconcile="shop/web", began="2026-03-02T14:00:04Z"),
    line(6, put=SCALE, status=200, body=scale(3), request=scale(3), agent="kubectl"),
    line(7, put=f"{HPAS.replace('/hor', '/namespaces/shop/hor')}/web/status", status=200, request=hpa()),
    line(8, gap="*", until="2026-03-02T14:00:09Z", cause="restart"),
    saw(9, PODS, "DELETED", running("web-0")),
    line(20, end=True),
]
AT = '{"at":"2026-03-02T14:00:00Z",'


@pytest.fixture(autouse=True)
def nobody_waits_for_ever() -> Iterator[None]:
    """Whoever waits for a FIFO is woken, and the test fails."""

    def woken(*_: object) -> None:
        raise TimeoutError("somebody waits for a file that never ends")

    before = signal.signal(signal.SIGALRM, woken)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(path: Path) -> str:
    """The one line that an import says."""
    into = path.parent / "recording"
    with pytest.raises(BadCapture) as caught:
        import_capture([path], into=into)
    text = str(caught.value)
    assert text.startswith(f"{path}:")
    assert "\n" not in text
    assert len(text) < 1000
    assert not into.exists()
    return text.removeprefix(f"{path}:")


def watched(path: str, metadata: str, rest: str = "") -> bytes:
    """A watch event as text, for what JSON in Python cannot say."""
    thing = f'{{"metadata":{{"name":"a","namespace":"b"{metadata}}}{rest}}}'
    return f'{AT}"watch":"{path}","type":"ADDED","object":{thing}}}'.encode()


def read_of(rest: str) -> bytes:
    """A read of a scale as text."""
    return f'{AT}"get":"{SCALE}",{rest}}}'.encode()


def replicas(number: str) -> bytes:
    """A scale of so many."""
    return read_of(f'"status":200,"body":{{"spec":{{"replicas":{number}}}}}')


def ended(at: str) -> bytes:
    """A line of this instant."""
    return f'{{"at":"{at}","end":true}}'.encode()


END = f'{AT}"end":true}}'
DEEP = '{"a":' * 300 + "1" + "}" * 300

BAD: dict[str, tuple[bytes, str]] = {
    "deep arrays": (f'{AT}"get":{"[" * 100_000}{"]" * 100_000}}}'.encode(), "1: nested too deeply"),
    "deep objects": (AT.encode() + b'"get":' + b'{"a":' * 100_000, "1: nested too deeply"),
    "a deep spec": (watched(HPAS, "", f',"spec":{DEEP}'), "1: HpaSeen has JSON of another shape as its spec_json"),
    "half a character": (
        f'{AT}"reconcile":"shop/\\ud800"}}'.encode(),
        "1: Reconciled has a text with half a character as its name",
    ),
    "half a character in a spec": (watched(HPAS, "", ',"spec":{"a":"\\udfff"}'), "1: HpaSeen has"),
    "a number beyond 64 bits": (replicas("9223372036854775808"), "1: no scale: "),
    "a fraction": (replicas("2.5"), "1: no scale: Expected `int | null`, got `float`"),
    "a truth": (replicas("true"), "1: no scale: Expected `int | null`, got `bool`"),
    "NaN": (read_of('"status":NaN'), "1: not JSON (NaN is no JSON)"),
    "Infinity": (read_of('"status":200,"ms":-Infinity'), "1: not JSON"),
    "a status beyond 64 bits": (read_of(f'"status":{10**30}'), "1: ScaleRead has a number beyond"),
    "many digits": (f'{AT}"get":"/x","status":{"9" * 5000}}}'.encode(), "1: not JSON"),
    "a mark at the beginning": (b"\xef\xbb\xbf" + END.encode(), "1: not JSON"),
    "UTF-16": (END.encode("utf-16"), "1: cannot be read further"),
    "only line feeds of a Mac": (f"{END}\r{END}".encode(), "1: not JSON"),
    "year 0": (ended("0000-01-01T00:00:00Z"), "1: "),
    "year 1": (ended("0001-01-01T00:00:00Z"), "1: '0001-01-01T00:00:00Z' is before 1970"),
    "year 9999": (ended("9999-12-31T23:59:59Z"), "1: "),
    "year 10000": (ended("10000-01-01T00:00:00Z"), "1: "),
    "beyond year 9999 by its zone": (ended("9999-12-31T23:59:59-23:59"), "1: "),
    "a pod of year 10000": (watched(PODS, ',"creationTimestamp":"9999-12-31T23:59:59-23:59"'), "1: "),
    "nothing": (b"", " empty"),
    "blanks": (b" \n\r\n\t\n", " empty"),
    "zeros": (b"\0" * 1000, "1: not JSON"),
    "a name that is no text": (watched(PODS, ',"namespace":{}'), "1: "),
    "labels that are no texts": (
        watched(PODS, ',"labels":{"a":[]}'),
        "1: PodSeen is nothing that a row can be made of",
    ),
    "flags that are no object": (f'{AT}"controller":"started","flags":[1]}}'.encode(), "1: "),
    "a long word": (f'{AT}"controller":"{"x" * 100_000}"}}'.encode(), "1: controller must be"),
    "a gap that ends in year 9999": (
        f'{AT}"gap":"*","until":"9999-12-31T23:59:59Z"}}'.encode(),
        "1: Gap has a number beyond",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_hostile_line_is_one_line(name: str, tmp_path: Path) -> None:
    data, words = BAD[name]
    path = tmp_path / "capture.jsonl"
    path.write_bytes(data)
    assert refused(path).startswith(words)


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd"])
def test_a_line_without_an_end_is_not_read_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str) -> None:
    monkeypatch.setattr(capture_lines, "MAX_LINE_BYTES", 1 << 20)
    path = tmp_path / "capture.jsonl"
    data = text_of(GOOD[:1]).encode() + AT.encode() + b'"x":"' + b"a" * (8 << 20)
    if packed == "gzip":
        path.write_bytes(gzip.compress(data))
    elif packed == "zstd":
        with pa.output_stream(str(path), compression="zstd") as stream:
            stream.write(data)
    else:
        path.write_bytes(data)
    assert refused(path).startswith("2: longer than 1 MB")


def test_a_line_of_very_many_values_is_not_decoded(tmp_path: Path) -> None:
    path = tmp_path / "capture.jsonl"
    path.write_bytes(AT.encode() + b'"x":[' + b"[]," * 3_000_000 + b"[]]}")
    assert "values in one line" in refused(path)


def test_very_many_empty_lines_are_no_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_lines, "MAX_EMPTY_LINES", 1000)
    path = tmp_path / "capture.jsonl"
    path.write_bytes(gzip.compress(b"\n" * 100_000))
    assert "empty lines" in refused(path)


def test_what_is_no_file_is_refused_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("fifo", "folder", "nowhere", "zero"):
        assert refused(tmp_path / name)
    for device in ("/dev/zero", "/dev/null", "/dev/fd/999999"):
        with pytest.raises(BadCapture, match=device):
            import_capture([Path(device)], into=tmp_path / "recording")


@pytest.mark.parametrize(
    "data", [b"\x1f\x8b", b"\x1f\x8b\x08\0\0\0\0\0", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\xff\xff\xff\xff"]
)
def test_what_only_begins_as_packed_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "capture.jsonl"
    path.write_bytes(data)
    assert "cannot be read further" in refused(path)


MEASURED = f"""
{PEAK_MEGABYTES}
import sys
from hpaaudit.cli import _run
code = _run(["import", "capture", sys.argv[1], "--into", sys.argv[2]])
print(code, peak_megabytes())
"""
MEGABYTES = 1000
"""What docs/capture.md states."""


@pytest.mark.parametrize("what", ["bomb", "arrays"])
def test_memory_stays_within_what_the_page_says(tmp_path: Path, what: str) -> None:
    path = tmp_path / "capture.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(AT.encode())
        if what == "bomb":  # a GB in one line
            file.write(b'"x":"')
            for _ in range(64):
                file.write(b"a" * (16 << 20))
        else:  # as many values as a line may have
            file.write(b'"x":[' + b"[{}]," * 1_300_000 + b"1]}\n")
    completed = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path), str(tmp_path / "r")], capture_output=True, text=True, check=True
    )
    code, peak = map(int, completed.stdout.splitlines()[-1].split())
    assert code == (2 if what == "bomb" else 0)
    assert peak < MEGABYTES


# Any capture


ODD = st.none() | st.booleans() | st.integers() | st.sampled_from(
    [-1, 0, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, 1e400, "", "x",
    "\ud800", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1e30", "-1",
     "../..", "*", "a/b/c", [], {}, [None], {"": None}, [[]], {"name": 5}, {"a": {"b": []}}, "\x1b[31m", "é" * 300]
) | st.text(max_size=5)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A JSON value with another one in one place; `...` takes it away."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and new is ...:
        del copy[path[0]]
    else:
        copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


PLACES = [(index, path) for index, one in enumerate(GOOD) for path in places(one)]


@st.composite
def captures(draw: Any) -> bytes:
    """Lines of a sound capture, some fields other than they were; sometimes some bytes too."""
    lines = list(GOOD)
    for index, path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        try:
            lines[index] = put(lines[index], path, draw(ODD | st.just(...)))
        except (KeyError, IndexError, TypeError):  # an earlier one took it away
            continue
    data = bytearray("".join(json.dumps(one) + "\n" for one in lines).encode("utf-8", "surrogatepass"))
    for position, byte in draw(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=2)):
        data[position % len(data)] = byte
    return bytes(data)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(captures())
def test_any_capture_is_refused_in_one_line_or_makes_a_recording_that_can_be_replayed(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as away:
        path, into = Path(away) / "capture.jsonl", Path(away) / "recording"
        path.write_bytes(data)
        message = outcome(lambda: import_capture([path], into=into))
        if message:
            assert message.startswith(f"{path}:")
            assert "\n" not in message
            assert not into.exists()
            return
        assert verify(into, reread=True).damages == ()
        message = outcome(lambda: list(replayed_reconciles(into)))
        assert not message or "release" in message  # a capture may name one that nobody knows
