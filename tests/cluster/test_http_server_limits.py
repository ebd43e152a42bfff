"""The recorder's HTTP server under attack: few connections, closed soon, and file descriptors left for recording."""

import asyncio
import contextlib
import json
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from hpaaudit.cluster.client import file_descriptors as descriptors
from hpaaudit.cluster.client.telemetry import Telemetry
from hpaaudit.cluster.serve import http_server
from hpaaudit.cluster.serve.http_server import MAX_CONNECTIONS, MAX_REQUEST_BYTES, HttpServer
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.heavy import Heavy
from tests.cluster.recorder import ROOT

ADDRESS = ("127.0.0.1", 0)


async def response_to(url: str, request: bytes) -> bytes:
    """What the server says to these bytes until it hangs up."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    except ConnectionError:
        return b""
    finally:
        writer.close()


ASKED = {
    "well": (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"ok\n"),
    "with a query": (b"GET /healthz?verbose HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"ok\n"),
    "only the head": (b"HEAD /healthz HTTP/1.0\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n\r\n"),
    "twice at once": (b"GET /healthz HTTP/1.1\r\n\r\n" * 2, b"HTTP/1.1 200 OK\r\n", b"ok\n"),
    "before it began": (
        b"GET /readyz HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 503 ",
        b"or for the disk\n",
    ),
    "for metrics": (b"GET /metrics HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"\n"),
    "for another path": (b"GET /secret HTTP/1.1\r\n\r\n", b"HTTP/1.1 404 ", b"/metrics\n"),
    "to take something": (b"POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n", b"HTTP/1.1 405 ", b"GET it\n"),
    "in no words": (b"\x16\x03\x01\x02\r\n\r\n", b"HTTP/1.1 400 ", b"this is no request\n"),
    "too much": (b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 3 * MAX_REQUEST_BYTES, b"HTTP/1.1 400 ", b"request\n"),
}


@pytest.mark.parametrize("how", ASKED)
def test_every_request_is_answered_once_and_the_connection_ends(how: str) -> None:
    request, first, last = ASKED[how]

    async def play() -> bytes:
        async with HttpServer(ADDRESS, Telemetry()) as opened:
            return await response_to(opened.url, request)

    answer = asyncio.run(play())
    # What was sent and not read may make the system cut an answer off.
    assert (answer.startswith(first) and answer.endswith(last)) or (how == "too much" and not answer)
    assert answer.count(b"HTTP/1.1") <= 1


@pytest.mark.parametrize("slow", [b"", b"GET", b"GET /healthz HTTP/1.1\r\n"])
def test_who_does_not_ask_in_time_is_hung_up_on(slow: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "DEADLINE_SECONDS", 0.2)

    async def play() -> None:
        async with HttpServer(ADDRESS, Telemetry()) as opened:
            assert await response_to(opened.url, slow) == b""
            await asyncio.sleep(0)
            assert not opened._open

    asyncio.run(play())


def test_who_does_not_take_the_answer_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "DEADLINE_SECONDS", 0.3)
    monkeypatch.setattr(
        HttpServer, "_ready", lambda _: (http_server.HTTPStatus.OK, http_server.TEXT, b"x" * (32 << 20))
    )

    async def play() -> None:
        async with HttpServer(ADDRESS, Telemetry()) as opened:
            host, port = opened.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /readyz HTTP/1.1\r\n\r\n")
            async with asyncio.timeout(10):
                while not opened._open:  # noqa: ASYNC110  # nothing tells of it
                    await asyncio.sleep(0.01)
                while opened._open:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            writer.close()

    asyncio.run(play())


def test_of_a_thousand_silent_connections_few_are_kept_and_who_asks_is_answered() -> None:
    async def play() -> None:
        async with HttpServer(ADDRESS, Telemetry()) as opened:
            address = opened._server.sockets[0].getsockname() if opened._server else ()
            silent = []
            for _ in range(600):
                one = socket.socket()
                one.settimeout(0)
                silent.append(one)
                await asyncio.get_running_loop().sock_connect(one, address)
            for _ in range(3):
                assert (await response_to(opened.url, b"GET /healthz HTTP/1.1\r\n\r\n")).endswith(b"ok\n")
            assert len(opened._open) <= MAX_CONNECTIONS
            for one in silent:
                one.close()

    asyncio.run(play())


def test_descriptors_are_left_for_what_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    raised = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 100_000))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
    assert descriptors.requests_at_once() == descriptors.WANTED - descriptors.RESERVED
    assert raised == [(descriptors.WANTED, 100_000)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert descriptors.requests_at_once() == 256 - descriptors.RESERVED
    monkeypatch.setattr(resource, "getrlimit", lambda _: (64, 64))
    assert descriptors.requests_at_once() == descriptors.LEAST


FEW = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)); from hpaaudit.cli import main; main()"


def test_a_recorder_with_few_descriptors_under_siege_loses_nothing_and_says_little(tmp_path: Path) -> None:
    """1,100 silent connections, more than it may have descriptors, for as long as it records."""
    with Heavy(lambda _: None, hpas=30) as server:
        options = ["--into", str(tmp_path / "recording"), "--kubeconfig", str(server.kubeconfig(tmp_path)), "-A"]
        more = ["--interval", "1s", "--for", "8s", "--listen", "127.0.0.1:0", "--log", "json"]
        command = [sys.executable, "-c", FEW, "record", *options, *more]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as recorder:
            assert recorder.stderr
            url = json.loads(recorder.stderr.readline())["url"]
            host, port = url.removeprefix("http://").split(":")
            silent: list[socket.socket] = []
            answers = []
            while recorder.poll() is None:
                with contextlib.suppress(OSError):  # it may end at any time
                    for _ in range(100):
                        silent.append(socket.socket())
                        silent[-1].settimeout(0)
                        silent[-1].connect_ex((host, int(port)))
                    with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:  # noqa: S310  # our own address
                        answers.append(answer.read())
                    time.sleep(0.2)
                for item in silent[:-1100]:
                    item.close()
                silent = silent[-1100:]
            said_lines = recorder.stderr.read().splitlines()
        for item in silent:
            item.close()
    assert b"ok\n" in answers
    assert recorder.returncode == 0, said_lines[-3:]
    assert len(said_lines) < 50, said_lines[:50]
    recording = open_recording(tmp_path / "recording")
    facts = list(recording.facts())
    assert recording.complete
    assert len({fact.name for fact in facts if isinstance(fact, HpaSeen)}) == 30
    assert len([fact for fact in facts if isinstance(fact, ResourceMetricsRead) and fact.samples]) >= 4
