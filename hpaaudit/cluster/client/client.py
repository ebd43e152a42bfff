"""Sends requests to one API server: GETs, the streams of watches, and access reviews."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Self

import aiohttp
from yarl import URL

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.access.credentials import Credentials, RequestAuth
from hpaaudit.cluster.access.proxy import proxy_of
from hpaaudit.cluster.client import body as bodies
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.file_descriptors import requests_at_once
from hpaaudit.cluster.client.http_answer import (
    FORBIDDEN,
    NOT_FOUND,
    OK,
    UNAUTHORIZED,
    Answer,
    WatchFailed,
    retry_seconds,
    why_no_answer,
)
from hpaaudit.cluster.client.memory_budget import Budget
from hpaaudit.cluster.client.sockets import Sockets
from hpaaudit.cluster.client.telemetry import Telemetry
from hpaaudit.cluster.decoding.decoders import MAX_ANSWER_BYTES, Decode, TooLong, decoded
from hpaaudit.errors import Forbidden, NotServed, Unreachable
from hpaaudit.model.units import Micros

GET_SECONDS = 30
"""How long an answer may take, and how long a watch may take to begin."""
CONNECT_SECONDS = 10
QUIET_SECONDS = 150
"""How long the connection of a watch may be silent. The server sends a bookmark about once a minute."""
QPS, BURST = 20, 40
MAX_ERROR_BYTES = 1 << 20
"""No refusal is longer: a Status of Kubernetes has some hundred bytes."""
Connect = Callable[[], aiohttp.ClientSession]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request.

    decode       decodes the body of a 200. The body of any other answer is decoded as a whole
    decode_item  decodes each item of a long list; the body is then what `decode` makes of the rest, with these items
    """

    path: str
    method: str = "GET"
    body: Any = None
    seconds: float = GET_SECONDS
    decode: Decode = decoded
    decode_item: Decode | None = None


class Client:
    """One session with one API server: at most `qps` requests a second, BURST at once. An async context manager.

    `connect` opens the session, None over the network.
    """

    def __init__(
        self,
        config: ClientConfig,
        clock: Clock,
        *,
        qps: float = QPS,
        telemetry: Telemetry | None = None,
        budget: Budget | None = None,
        connect: Connect | None = None,
    ) -> None:
        self.config, self.clock, self.telemetry = config, clock, telemetry or Telemetry()
        self.budget = budget or Budget()
        self._connect = connect or self._over_the_network
        self.qps, self._free_at = qps, 0.0
        self._credentials, self._proxy = Credentials(config), proxy_of(config)
        self._session: aiohttp.ClientSession | None = None
        self._sockets = Sockets()
        # Leaves descriptors for the log, and for probes and scrapes.
        self._in_flight = asyncio.Semaphore(requests_at_once())

    async def __aenter__(self) -> Self:
        # Missing credentials are reported at once, and not as a 401 later.
        await self._credentials.current()
        self._session = self._connect()
        return self

    def _over_the_network(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, socket_factory=self._sockets.make),
            headers={"User-Agent": _user_agent(), "Accept": "application/json", "Accept-Encoding": bodies.GZIP},
            # We unpack bodies ourselves, within bounds. An API server has no use for cookies.
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
        )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()
            await self._sockets.hang_up()

    async def get(
        self, path: str, *, seconds: float = GET_SECONDS, decode: Decode = decoded, item: Decode | None = None
    ) -> Answer:
        """The answer to a GET, whatever it is. Never raises for what the server or the network did."""
        return await self._send(Request(path=path, seconds=seconds, decode=decode, decode_item=item))

    async def post(self, path: str, body: Any) -> Answer:
        """The answer to an access review. Nothing else is ever posted."""
        return await self._send(Request(method="POST", path=path, body=body))

    async def _send(self, request: Request) -> Answer:
        """The answer; after a 401 once more, if there are newer credentials."""
        try:
            auth = await self._credentials.current()
            answer = await self._send_once(request, auth)
            if answer.status == UNAUTHORIZED and (newer := await self._credentials.renewed(auth)):
                answer = await self._send_once(request, newer)
        except Unreachable as problem:
            return self._no_answer(request.path, str(problem))
        return answer

    async def _send_once(self, request: Request, auth: RequestAuth) -> Answer:
        await self._wait_for_turn()
        sent = self.clock.now()
        timeout = aiohttp.ClientTimeout(total=request.seconds, sock_connect=CONNECT_SECONDS)
        try:
            # The timeout of aiohttp stops when the last bytes have come, even if they still wait for memory.
            async with (
                self._in_flight,
                asyncio.timeout(request.seconds),
                self._open(request, timeout, auth) as response,
            ):
                answer = await self._read(request, response, sent, auth)
        except TooLong as problem:
            answer = self._no_answer(request.path, str(problem), sent, too_long=True)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as problem:
            answer = self._no_answer(request.path, why_no_answer(problem, request.seconds), sent)
        self.telemetry.observe_request(request.method, request.path, answer.status, sent, answer.at_us)
        return answer

    async def lines(self, path: str, *, seconds: float = GET_SECONDS) -> AsyncGenerator[bytes, None]:
        """The lines of a watch. First comes an empty one, as soon as the server has answered 200, within `seconds`.

        WatchFailed if the watch is refused; aiohttp's errors and TimeoutError if it breaks; TooLong.
        """
        request = Request(path=path, seconds=seconds)
        try:
            auth = await self._credentials.current()
            while True:
                await self._wait_for_turn()
                sent = self.clock.now()
                async with self._open_watch(request, auth) as response:
                    self.telemetry.observe_request("GET", path, response.status, sent, self.clock.now())
                    if response.status == OK:
                        yield b""
                        with self.budget.reserve() as reservation:
                            async for line in bodies.lines(response, reservation):
                                yield line
                        return
                    async with asyncio.timeout(seconds):
                        refusal = await self._read(request, response, sent, auth)
                newer = await self._credentials.renewed(auth) if refusal.status == UNAUTHORIZED else None
                if newer is None:
                    raise WatchFailed(refusal)
                auth = newer
        except Unreachable as problem:
            raise WatchFailed(self._no_answer(path, str(problem))) from None

    @contextlib.asynccontextmanager
    async def _open_watch(self, request: Request, auth: RequestAuth) -> AsyncIterator[aiohttp.ClientResponse]:
        """A watch whose headers are there. Neither the server nor a proxy may hold them back for longer."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=QUIET_SECONDS)
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(request.seconds):
                response = await stack.enter_async_context(self._open(request, timeout, auth))
            yield response

    def _open(
        self, request: Request, timeout: aiohttp.ClientTimeout, auth: RequestAuth
    ) -> contextlib.AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("the client is not open")
        bearer = [("Authorization", f"Bearer {auth.token}")] if auth.token else []
        return self._session.request(
            request.method,
            # Sent as it is: an escaped star must stay escaped.
            URL(self.config.server + request.path, encoded=True),
            json=request.body,
            headers=[*self.config.impersonate, *bearer],
            timeout=timeout,
            allow_redirects=False,
            ssl=auth.tls,
            server_hostname=self.config.server_name or None,
            proxy=self._proxy,
        )

    async def _read(
        self, request: Request, response: aiohttp.ClientResponse, sent: Micros, auth: RequestAuth
    ) -> Answer:
        def decode_refusal(data: bytes) -> Any:
            # Errors are shown and recorded, and some proxies repeat in them what they were sent.
            return decoded(data.replace(auth.token.encode(), b"[token]") if auth.token else data)

        with self.budget.reserve() as reservation:
            if response.status == OK:
                limits = bodies.Limits(reservation, MAX_ANSWER_BYTES)
                body = await bodies.read(response, limits, request.decode, request.decode_item)
            else:
                body = await bodies.read(response, bodies.Limits(reservation, MAX_ERROR_BYTES), decode_refusal, None)
        return Answer(
            path=request.path,
            status=response.status,
            body=body,
            error="",
            sent_us=sent,
            at_us=self.clock.now(),
            date=response.headers.get("Date", ""),
            retry_seconds=retry_seconds(response.headers.get("Retry-After", "")),
        )

    def _no_answer(self, path: str, error: str, sent: Micros | None = None, *, too_long: bool = False) -> Answer:
        now = self.clock.now()
        return Answer(path=path, status=0, body=None, error=error, sent_us=sent or now, at_us=now, too_long=too_long)

    async def _wait_for_turn(self) -> None:
        """Waits until the rate limit allows one more request."""
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at + 1 / self.qps, now - BURST / self.qps)
        if self._free_at > now:
            await asyncio.sleep(self._free_at - now)

    def demand(self, answer: Answer, verb: str, action: str) -> Any:
        """The body of a good answer. Raises ClusterError otherwise, which says what was refused, where and why."""
        if answer.good:
            return answer.body
        where = f"context {self.config.context} ({self.config.server})"
        if not answer.status:
            raise Unreachable(f"{where} cannot be reached: {answer.error}")
        if answer.status == UNAUTHORIZED:
            raise Forbidden(
                f"{where} does not know you (401): it refused to {verb} {action}; log in, or renew the token"
            )
        if answer.status == FORBIDDEN:
            raise Forbidden(f"{where} refused to {verb} {action} (403): {answer.message}")
        if answer.status == NOT_FOUND:
            raise NotServed(f"{where} does not serve {action} (404 on {answer.path})")
        raise Unreachable(f"{where} answered {answer.status} to {verb} {action}: {answer.message}")


def _user_agent() -> str:
    try:
        return f"hpaaudit/{version('hpaaudit')} record"
    except PackageNotFoundError:  # run from a checkout
        return "hpaaudit record"
