"""`record --log json`: every line is an object with a stable name, and no text in it controls a terminal."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api.times import micros
from hpaaudit.cli.recorder_log import JsonLog
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.units import Micros
from hpaaudit.report.log import log_line
from tests.cli.api_server import HPAS, api_server, kubeconfig
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import ROOT, Recorder, run

Create = Callable[..., None]
HEAD = ["time", "level", "event", "message"]


def lines_of(output: str) -> list[dict[str, Any]]:
    """What a log says; each line begins with the same four fields."""
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        assert list(line)[:4] == HEAD
        assert micros(line["time"]) > 0
        assert line["level"] in set(Level)
        assert line["event"] in set(Event)
    return lines


def test_a_line_is_one_object_of_ascii_whatever_is_in_it() -> None:
    note = Note('says "\x1b[2J\u202e"\nover two lines', Event.STREAM_REFUSED, path="/api/v1/pods\x07", status=403)
    line = log_line(Micros(1), note)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00.000001Z",
        "level": "warning",
        "event": "stream_refused",
        "message": str(note),
        "path": "/api/v1/pods\x07",
        "status": 403,
    }


def test_a_plain_line_is_a_warning_without_a_name_of_its_own() -> None:
    assert json.loads(log_line(Micros(0), "the disk is full"))["event"] == "note"


def test_a_recording_is_told_from_its_start_to_its_end(
    cluster: Cluster, namespace: str, create: Create, tmp_path: Path
) -> None:
    create("checkout")
    admin, into = cluster.dir / "admin.kubeconfig", tmp_path / "recording"
    options = ("-n", namespace, "--interval", "500ms", "--log", "json", "--listen", "127.0.0.1:0", "--for", "2s")
    code, output = Recorder(into, admin, *options).wait()
    assert code == 0
    lines = lines_of(output)
    assert [line["event"] for line in lines] == [
        "listening",
        "recording_started",
        "estimate",
        "segment_sealed",
        "recording_sealed",
        "recording_ended",
    ]
    assert {line["level"] for line in lines} == {"info"}
    assert lines[1]["namespace"] == namespace
    assert lines[1]["server"] == cluster.url
    assert lines[2]["reads"] == 1
    assert lines[-1]["hpas"] == 1
    assert lines[-1]["gaps"] == 0
    assert cluster.tokens["admin"] not in output


def test_what_is_refused_says_where_and_how(cluster: Cluster, namespace: str, create: Create, tmp_path: Path) -> None:
    create("checkout")
    rule = {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]}
    cluster.allow("reader", namespace, [rule])
    options = ("-n", namespace, "--log", "json", "--for", "2s")
    code, output = Recorder(tmp_path / "recording", cluster.dir / "reader.kubeconfig", *options).wait()
    assert code == 0
    refused = {line["path"]: line["status"] for line in lines_of(output) if line["event"] == "stream_refused"}
    assert refused[f"/api/v1/namespaces/{namespace}/pods"] == 403
    assert refused[f"/apis/apps/v1/namespaces/{namespace}/deployments"] == 403


def test_an_error_is_the_last_line_and_no_token_is_in_it(tmp_path: Path) -> None:
    """Not even where a proxy repeats what it was sent, with a bell."""
    echo = (403, {"message": "\x07bad header: Authorization: Bearer mine"})
    for log in ("json", "text"):
        with api_server({HPAS: echo}) as server:
            config = kubeconfig(tmp_path, server)
            completed = run("record", "--into", str(tmp_path / "r"), "--kubeconfig", str(config), "--log", log)
        assert completed.returncode == 2
        assert "Bearer [token]" in completed.stderr
        assert "mine" not in completed.stderr
        assert "\x07" not in completed.stderr
        if log == "json":
            (line,) = lines_of(completed.stderr)
            assert (line["event"], line["level"], line["kind"]) == ("failed", "error", "Forbidden")


def test_an_error_that_nobody_foresaw_is_a_line_too(tmp_path: Path) -> None:
    code = (
        "import hpaaudit.flows.record as flow\n"
        "def broken(*_, **__): raise KeyError('surprise')\n"
        "flow.record = broken\n"
        "from hpaaudit.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "record", "--into", str(tmp_path / "r"), "--log", "json"]
    completed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert completed.returncode == 2
    (line,) = lines_of(completed.stderr)
    assert line["event"] == "crashed"
    assert "KeyError: 'surprise'" in line["traceback"]


@pytest.fixture
def loggers() -> Iterator[None]:
    """Python's logging as it was."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


@pytest.mark.usefixtures("loggers")
def test_what_a_library_logs_is_a_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    JsonLog()
    logging.getLogger("asyncio").error("Task exception was never retrieved: %s", "\x1b[1m")
    (line,) = lines_of(capsys.readouterr().err)
    assert (line["event"], line["level"], line["logger"]) == ("log", "error", "asyncio")
