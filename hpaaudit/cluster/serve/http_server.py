"""The HTTP server for probes and for Prometheus: `/healthz`, `/readyz`, `/metrics`."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from types import TracebackType
from typing import Self

from hpaaudit.cluster.client.telemetry import Telemetry
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.serve.readiness import readiness
from hpaaudit.errors import BadOption
from hpaaudit.model.recorder_plan import StorageCounts

MAX_CONNECTIONS = 32
"""With more, the oldest is closed: a request takes milliseconds, so an old connection is idle."""
BACKLOG = 64
"""Connections that wait until they are accepted."""
DEADLINE_SECONDS = 5
"""How long a connection may live, from the first byte of the request to the last of the response."""
MAX_REQUEST_BYTES = 8192
"""The first line and the headers."""
METHODS = ("GET", "HEAD")
TEXT = "text/plain; charset=utf-8"
Address = tuple[str, int]
Response = tuple[HTTPStatus, str, bytes]
"""Status, content type and body."""


class HttpServer:
    """A server on the event loop of the recorder, with one request per connection. An async context manager.

    Without an address there is no server. BadOption if it cannot listen on the address. Until `begin` is called the
    recorder is not ready.
    """

    def __init__(self, address: Address | None, telemetry: Telemetry) -> None:
        self.address, self.telemetry = address, telemetry
        self.observer: Observer | None = None
        self.storage: Callable[[], StorageCounts] = StorageCounts
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
        """Where it listens, with the port that the system chose; empty without an address."""
        sockets = self._server.sockets if self._server else ()
        if not sockets:
            return ""
        host, port, *_ = sockets[0].getsockname()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def begin(self, observer: Observer, storage: Callable[[], StorageCounts]) -> None:
        """Answers `/readyz` and `/metrics` from this observer and its recording from now on."""
        self.observer, self.storage = observer, storage

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while len(self._open) >= MAX_CONNECTIONS:
            oldest = next(iter(self._open))
            # At once, because its file descriptor is needed.
            self._open.pop(oldest).transport.abort()
            oldest.cancel()
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._open[task] = writer
        task.add_done_callback(lambda finished: self._open.pop(finished, None))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request, or closes the connection in time."""
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                except asyncio.LimitOverrunError:
                    head = b""
                status, kind, body = self._response(head)
                lines = (f"HTTP/1.1 {status} {status.phrase}", f"Content-Type: {kind}", f"Content-Length: {len(body)}")
                writer.write("\r\n".join((*lines, "Connection: close", "", "")).encode())
                writer.write(b"" if head.startswith(b"HEAD ") else body)
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the client sent no request, or does not read the response
        finally:
            writer.transport.abort()

    def _response(self, head: bytes) -> Response:
        """The response to a request, from its first line."""
        words = head.partition(b"\r\n")[0].decode("latin-1").split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004  # method, target, version
            return HTTPStatus.BAD_REQUEST, TEXT, b"this is no request\n"
        if words[0] not in METHODS:
            return HTTPStatus.METHOD_NOT_ALLOWED, TEXT, b"GET it\n"
        match words[1].partition("?")[0]:
            case "/healthz":
                # That there is a response at all shows that the event loop is alive.
                return HTTPStatus.OK, TEXT, b"ok\n"
            case "/readyz":
                return self._ready()
            case "/metrics":
                from hpaaudit.cluster.serve.exposition import CONTENT_TYPE, exposition

                return HTTPStatus.OK, CONTENT_TYPE, exposition(self.telemetry, self.observer, self.storage())
        return HTTPStatus.NOT_FOUND, TEXT, b"there are /healthz, /readyz and /metrics\n"

    def _ready(self) -> Response:
        checks = readiness(self.observer, self.telemetry)
        lines = [f"[{'+' if check.holds else '-'}]{check.name} {check.message}\n" for check in checks]
        status = HTTPStatus.OK if all(check.holds for check in checks) else HTTPStatus.SERVICE_UNAVAILABLE
        return status, TEXT, "".join(lines).encode()
