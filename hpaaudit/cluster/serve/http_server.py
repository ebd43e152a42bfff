"""Opens a door for those who watch over a recorder: `/healthz`, `/readyz`, `/metrics`."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from types import TracebackType
from typing import Self

from hpaaudit.cluster.client.telemetry import Meters
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.serve.readiness import readiness
from hpaaudit.errors import BadOption
from hpaaudit.model.plan import Kept

MAX_CONNECTIONS = 32
"""Beyond that the oldest is closed: a request takes milliseconds, who is still there says nothing."""
BACKLOG = 64
"""So many are taken at once, before the oldest can be closed."""
DEADLINE_SECONDS = 5
"""A connection lives so long: to ask, to be answered, and to take the answer."""
MAX_REQUEST_BYTES = 8192
"""The first line and the headers."""
METHODS = ("GET", "HEAD")
TEXT = "text/plain; charset=utf-8"
Address = tuple[str, int]
Said = tuple[HTTPStatus, str, bytes]
"""Status, content type and body."""


class Door:
    """An HTTP server beside the recorder, on its event loop, that answers one request a connection; None: no door.

    `begin` says what it tells of; until then the recorder is not ready. Use as an async context manager; BadOption
    where the address cannot be had.
    """

    def __init__(self, address: Address | None, meters: Meters) -> None:
        self.address, self.meters = address, meters
        self.observer: Observer | None = None
        self.kept: Callable[[], Kept] = Kept
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> Self:
        if self.address is None:
            return self
        host, port = self.address
        try:
            self._server = await asyncio.start_server(
                self._connected, host, port, limit=MAX_REQUEST_BYTES, backlog=BACKLOG
            )
        except OSError as problem:
            why = problem.strerror or str(problem)
            raise BadOption(f"cannot listen on {host}:{port}: {why}; name another address by --listen") from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server:
            self._server.close()
            answering = list(self._open)
            for task in answering:
                task.cancel()
            await asyncio.gather(*answering, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where it is open, with the port that the system chose; empty where it is not."""
        sockets = self._server.sockets if self._server else ()
        if not sockets:
            return ""
        host, port, *_ = sockets[0].getsockname()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def begin(self, observer: Observer, kept: Callable[[], Kept]) -> None:
        """From now on there is something to tell."""
        self.observer, self.kept = observer, kept

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while len(self._open) >= MAX_CONNECTIONS:
            oldest = next(iter(self._open))
            # At once, and without a good-bye: the descriptor is needed.
            self._open.pop(oldest).transport.abort()
            oldest.cancel()
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._open[task] = writer
        task.add_done_callback(lambda done: self._open.pop(done, None))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, or hang up in time."""
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                except asyncio.LimitOverrunError:
                    head = b""
                status, kind, body = self._answer(head)
                lines = (f"HTTP/1.1 {status} {status.phrase}", f"Content-Type: {kind}", f"Content-Length: {len(body)}")
                writer.write("\r\n".join((*lines, "Connection: close", "", "")).encode())
                writer.write(b"" if head.startswith(b"HEAD ") else body)
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # who asks nothing, or does not listen, is told nothing
        finally:
            writer.transport.abort()

    def _answer(self, head: bytes) -> Said:
        """What is said to a request, from its first line."""
        words = head.partition(b"\r\n")[0].decode("latin-1").split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004  # method, target, version
            return HTTPStatus.BAD_REQUEST, TEXT, b"this is no request\n"
        if words[0] not in METHODS:
            return HTTPStatus.METHOD_NOT_ALLOWED, TEXT, b"GET it\n"
        match words[1].partition("?")[0]:
            case "/healthz":
                # That the event loop turns: then this is answered at all.
                return HTTPStatus.OK, TEXT, b"ok\n"
            case "/readyz":
                return self._ready()
            case "/metrics":
                from hpaaudit.cluster.serve.exposition import CONTENT_TYPE, exposition

                return HTTPStatus.OK, CONTENT_TYPE, exposition(self.meters, self.observer, self.kept())
        return HTTPStatus.NOT_FOUND, TEXT, b"there are /healthz, /readyz and /metrics\n"

    def _ready(self) -> Said:
        checks = readiness(self.observer, self.meters)
        lines = [f"[{'+' if check.holds else '-'}]{check.name} {check.said}\n" for check in checks]
        status = HTTPStatus.OK if all(check.holds for check in checks) else HTTPStatus.SERVICE_UNAVAILABLE
        return status, TEXT, "".join(lines).encode()
