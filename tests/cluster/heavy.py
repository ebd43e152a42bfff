"""A server over plain HTTP whose answers can be of any size, and the memory of a recorder that reads them.

The server lives in the test, the recorder is a process of its own.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Self

from aiohttp import web

from tests.bench.crowd import Crowd
from tests.bench.crowd_server import Server
from tests.bench.gentle import megabytes
from tests.cluster.recorder import ROOT

METRICS = "/apis/metrics.k8s.io/"
PIECE = 1 << 20
ITEM = (
    '{"metadata":{"name":"%s-%07d","namespace":"team-000","creationTimestamp":"2026-03-02T12:00:00Z",'
    '"labels":{"app":"checkout","pod-template-hash":"7d9c6b8f5"}},"timestamp":"2026-03-02T12:00:00Z",'
    '"window":"15.123s","containers":[{"name":"app","usage":{"cpu":"%dn","memory":"%dKi"}}]}'
)
LIMITED = (
    "from hpaaudit.cluster.client import memory_budget; memory_budget.memory_limit = lambda: {limit};"
    "from hpaaudit.cli import main; main()"
)
"""A recorder in a control group of so many bytes, as far as it can know."""
Body = Callable[[], AsyncIterator[bytes]]
Reply = Callable[[web.Request], Body | None]


async def answer_post(request: web.Request, body: Body) -> web.StreamResponse:
    """A 200 whose body comes piece by piece."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):  # who has read enough hangs up
        async for piece in body():
            await response.write(piece)
        await response.write_eof()
    return response


def usage(megabytes_of_json: int, *, name: str = "pod") -> Body:
    """Valid metrics of so many megabytes, as metrics-server writes them."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b'{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":['
        sent, count = 0, 0
        while sent < megabytes_of_json << 20:
            items = []
            for _ in range(1000):
                count += 1
                items.append(ITEM % (name, count, count * 7919 % 900_000, count % 9999))
            piece = (("," if sent else "") + ",".join(items)).encode()
            sent += len(piece)
            yield piece
        yield b"]}"

    return pieces


def repeated(head: bytes, unit: bytes, tail: bytes, size: int) -> Body:
    """The same again and again until it has so many bytes."""

    async def pieces() -> AsyncIterator[bytes]:
        yield head
        piece = unit * (PIECE // len(unit))
        for _ in range(size // len(piece)):
            yield piece
        yield tail

    return pieces


class Heavy:
    """The server in a thread of its own: some HPAs, each with ten pods; `reply` answers what it wants to."""

    def __init__(self, reply: Reply, *, hpas: int = 1) -> None:
        self.reply, self.crowd = reply, Server(Crowd(hpas))
        self.asked: list[str] = []
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve()))

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(20)

    async def serve(self) -> None:
        """Until it is over."""
        self.over, self.loop = asyncio.Event(), asyncio.get_running_loop()
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self.answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self.ready.set()
        await self.over.wait()
        await runner.cleanup()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """What `reply` says, else the crowd's."""
        self.asked.append(request.path_qs)
        body = self.reply(request)
        return await (answer_post(request, body) if body else self.crowd.answer(request))

    def kubeconfig(self, folder: Path) -> Path:
        """The way to it."""
        config = {
            "current-context": "crowd",
            "clusters": [{"name": "crowd", "cluster": {"server": self.url}}],
            "users": [{"name": "me", "user": {}}],
            "contexts": [{"name": "crowd", "context": {"cluster": "crowd", "user": "me"}}],
        }
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config))
        return path

    def peak_megabytes(
        self, folder: Path, seconds: int, *more: str, limit_megabytes: int = 512
    ) -> tuple[float, int, str]:
        """The most memory of a recorder that records for so long; its exit code, and what it said."""
        options = ["--into", str(folder / "recording"), "--kubeconfig", str(self.kubeconfig(folder)), "-A"]
        command = [sys.executable, "-c", LIMITED.format(limit=limit_megabytes << 20), "record", *options]
        process = subprocess.Popen(
            [*command, "--for", f"{seconds}s", *more], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        peak = 0.0
        while process.poll() is None:
            try:
                peak = max(peak, megabytes(process.pid, "VmHWM"))
            except (StopIteration, OSError):  # it has just ended
                break
            threading.Event().wait(0.1)
        _, words = process.communicate(timeout=60)
        return peak, process.returncode, words
