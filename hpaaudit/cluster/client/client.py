"""Asks one API server: GETs, streams of a watch, and errors in one clear line."""

import asyncio
import contextlib
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, Self

import aiohttp
from yarl import URL

from hpaaudit.cluster.access.config import Access
from hpaaudit.cluster.access.credentials import Credentials, Shown
from hpaaudit.cluster.access.proxy import proxy_of
from hpaaudit.cluster.client import body as bodies
from hpaaudit.cluster.client.body import Decode
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.file_descriptors import requests_at_once
from hpaaudit.cluster.client.memory_budget import Budget, Share, weight
from hpaaudit.cluster.client.sockets import Sockets
from hpaaudit.cluster.client.telemetry import Meters
from hpaaudit.cluster.decoding.decoders import MAX_ANSWER_BYTES, MAX_LINE_BYTES, TooLong, decoded
from hpaaudit.errors import Forbidden, NotServed, Unreachable
from hpaaudit.model.units import Micros

GET_SECONDS = 30
"""How long an answer may take, and how long a watch until it stands."""
QUIET_SECONDS = 150
"""How long a connection of a watch may be silent: the server sends a bookmark about once a minute."""
QPS, BURST = 20, 40
MAX_ERROR_BYTES = 1 << 20
"""No refusal is longer: a Status of Kubernetes is some hundred bytes."""
MAX_MESSAGE = 4096
"""So much of the server's words is kept."""
LONGEST_DIGITS = 9
"""Of Retry-After; more is for ever."""
Connect = Callable[[], aiohttp.ClientSession]
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, TOO_MANY = 200, 401, 403, 404, 410, 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of one request.

    status   0: no answer at all, and `error` says why
    body     decoded JSON, or text;  date  the Date header, empty without;  retry_seconds  of Retry-After
    too_long it was longer than what is read: that there is no answer is our own doing
    """

    path: str
    status: int
    body: Any
    error: str
    sent_us: Micros
    at_us: Micros
    date: str = ""
    retry_seconds: float = 0
    too_long: bool = False

    @property
    def took_us(self) -> Micros:
        """From asked to answered."""
        return Micros(self.at_us - self.sent_us)

    @property
    def good(self) -> bool:
        """A 200 with an object in it."""
        return self.status == OK and isinstance(self.body, dict)

    @property
    def message(self) -> str:
        """The server's own words, or why there are none."""
        if isinstance(self.body, dict):
            said = str(self.body.get("message") or self.body.get("reason") or self.status)[:MAX_MESSAGE]
            return " ".join(said.split())
        return self.error or " ".join(str(self.body).split())[:200] or f"status {self.status}"


class WatchFailed(Exception):
    """A watch that was refused: the answer says how."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


class Client:
    """One session with one API server; at most QPS requests a second, BURST at once.

    Use as an async context manager. `connect` opens the session; None: over the network.
    """

    def __init__(
        self,
        access: Access,
        clock: Clock,
        *,
        qps: float = QPS,
        meters: Meters | None = None,
        budget: Budget | None = None,
        connect: Connect | None = None,
    ) -> None:
        self.access, self.clock, self.meters = access, clock, meters or Meters()
        self.budget = budget or Budget()
        self._connect = connect or self._over_the_network
        self.qps, self._free_at = qps, 0.0
        self._credentials, self._proxy = Credentials(access), proxy_of(access)
        self._session: aiohttp.ClientSession | None = None
        self._sockets = Sockets()
        # Descriptors are left for the log, and for those who ask how we do.
        self._in_flight = asyncio.Semaphore(requests_at_once())

    async def __aenter__(self) -> Self:
        # Who cannot show anything is told so at once, and not by a 401.
        await self._credentials.shown()
        self._session = self._connect()
        return self

    def _over_the_network(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, socket_factory=self._sockets.make),
            headers={"User-Agent": _agent(), "Accept": "application/json", "Accept-Encoding": bodies.PACKED},
            # What is packed is unpacked in bounds; and no server of ours has a use for cookies.
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
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
        """One answer, whatever it is; never raises for what the server or the network did.

        decode   makes the body of a 200; of any other answer all is decoded
        item     makes each item of a long list, whose body is then what `decode` makes of the rest, with these items
        """
        return await self._ask("GET", path, None, seconds, decode, item)

    async def post(self, path: str, body: Any) -> Answer:
        """The answer to a review; nothing else is ever posted."""
        return await self._ask("POST", path, body, GET_SECONDS, decoded, None)

    async def _ask(
        self, method: str, path: str, body: Any, seconds: float, decode: Decode, item: Decode | None
    ) -> Answer:
        try:
            shown = await self._credentials.shown()
            answer = await self._once(method, path, body, seconds, shown, decode, item)
            if answer.status == UNAUTHORIZED and (fresh := await self._credentials.renewed(shown)):
                answer = await self._once(method, path, body, seconds, fresh, decode, item)
        except Unreachable as problem:
            return self._unanswered(path, str(problem))
        return answer

    async def _once(
        self, method: str, path: str, body: Any, seconds: float, shown: Shown, decode: Decode, item: Decode | None
    ) -> Answer:
        await self._turn()
        sent = self.clock.now()
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=10)
        try:
            # The clock of aiohttp stops at the end of a request whose last bytes wait for memory: ours does not.
            async with (
                self._in_flight,
                asyncio.timeout(seconds),
                self._request(method, path, body, timeout, shown) as got,
            ):
                answer = await self._answer(path, got, sent, shown, decode, item)
        except TooLong as problem:
            answer = self._unanswered(path, str(problem), sent, too_long=True)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as problem:
            answer = self._unanswered(path, _reason(problem, seconds), sent)
        self.meters.asked(method, path, answer.status, sent, answer.at_us)
        return answer

    async def lines(self, path: str, *, seconds: float = GET_SECONDS) -> AsyncGenerator[bytes, None]:
        """The lines of a watch; first an empty one, when it stands, which takes `seconds` at most.

        WatchFailed when it is refused; aiohttp's errors and TimeoutError when it breaks; TooLong.
        """
        try:
            shown = await self._credentials.shown()
            while True:
                await self._turn()
                sent = self.clock.now()
                async with self._standing(path, shown, seconds) as got:
                    self.meters.asked("GET", path, got.status, sent, self.clock.now())
                    if got.status == OK:
                        yield b""
                        with self.budget.share() as share:
                            async for line in _lines(bodies.pieces(got), share):
                                yield line
                        return
                    async with asyncio.timeout(seconds):
                        refusal = await self._answer(path, got, sent, shown, decoded, None)
                fresh = await self._credentials.renewed(shown) if refusal.status == UNAUTHORIZED else None
                if fresh is None:
                    raise WatchFailed(refusal)
                shown = fresh
        except Unreachable as problem:
            raise WatchFailed(self._unanswered(path, str(problem))) from None

    @contextlib.asynccontextmanager
    async def _standing(self, path: str, shown: Shown, seconds: float) -> AsyncIterator[aiohttp.ClientResponse]:
        """A request for a watch, once its headers are there: neither the server nor a proxy may hold them back."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=QUIET_SECONDS)
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(seconds):
                got = await stack.enter_async_context(self._request("GET", path, None, timeout, shown))
            yield got

    def _request(
        self, method: str, path: str, body: Any, timeout: aiohttp.ClientTimeout, shown: Shown
    ) -> contextlib.AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("the client is not open")
        bearer = [("Authorization", f"Bearer {shown.token}")] if shown.token else []
        return self._session.request(
            method,
            # The path goes out as it is: an escaped star must stay escaped.
            URL(self.access.server + path, encoded=True),
            json=body,
            headers=[*self.access.impersonate, *bearer],
            timeout=timeout,
            allow_redirects=False,
            ssl=shown.tls,
            server_hostname=self.access.server_name or None,
            proxy=self._proxy,
        )

    async def _answer(
        self, path: str, got: aiohttp.ClientResponse, sent: Micros, shown: Shown, decode: Decode, item: Decode | None
    ) -> Answer:
        def refusal(data: bytes) -> Any:
            # Errors are shown and recorded, and some proxies repeat in them what they were sent.
            return decoded(data.replace(shown.token.encode(), b"[token]") if shown.token else data)

        with self.budget.share() as share:
            if got.status == OK:
                body = await bodies.read(got, share, decode, item, MAX_ANSWER_BYTES)
            else:
                body = await bodies.read(got, share, refusal, None, MAX_ERROR_BYTES)
        return Answer(
            path=path,
            status=got.status,
            body=body,
            error="",
            sent_us=sent,
            at_us=self.clock.now(),
            date=got.headers.get("Date", ""),
            retry_seconds=_seconds(got.headers.get("Retry-After", "")),
        )

    def _unanswered(self, path: str, error: str, sent: Micros | None = None, *, too_long: bool = False) -> Answer:
        now = self.clock.now()
        return Answer(path=path, status=0, body=None, error=error, sent_us=sent or now, at_us=now, too_long=too_long)

    async def _turn(self) -> None:
        """Wait for the budget."""
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at + 1 / self.qps, now - BURST / self.qps)
        if self._free_at > now:
            await asyncio.sleep(self._free_at - now)

    def demand(self, answer: Answer, verb: str, what: str) -> Any:
        """The body of a good answer; otherwise the one clear error."""
        if answer.good:
            return answer.body
        where = f"context {self.access.context} ({self.access.server})"
        if not answer.status:
            raise Unreachable(f"{where} cannot be reached: {answer.error}")
        if answer.status == UNAUTHORIZED:
            raise Forbidden(f"{where} does not know you (401): it refused to {verb} {what}; log in, or renew the token")
        if answer.status == FORBIDDEN:
            raise Forbidden(f"{where} refused to {verb} {what} (403): {answer.message}")
        if answer.status == NOT_FOUND:
            raise NotServed(f"{where} does not serve {what} (404 on {answer.path})")
        raise Unreachable(f"{where} answered {answer.status} to {verb} {what}: {answer.message}")


def _agent() -> str:
    try:
        return f"hpaaudit/{version('hpaaudit')} record"
    except PackageNotFoundError:  # run from a checkout
        return "hpaaudit record"


async def _lines(body: AsyncIterator[bytes], share: Share) -> AsyncGenerator[bytes, None]:
    """Whole lines; half of one at the end is nothing.

    TooLong for a line that takes more memory than one answer may have.
    """
    parts: list[bytes] = []
    async for piece in body:
        first, *others = piece.split(b"\n")
        parts.append(first)
        for line in others:
            whole = b"".join(parts)
            share.check(weight(whole) - share.held)
            yield whole
            parts = [line]
        size = sum(map(len, parts)) if others else share.held + len(first)
        if size > MAX_LINE_BYTES:
            raise TooLong(f"a line of the watch is longer than {MAX_LINE_BYTES >> 20} MB")
        await share.hold(size)


def _seconds(text: str) -> float:
    # Python takes other digits than a header may have, and any number of them.
    return float(text[:LONGEST_DIGITS]) if text.isascii() and text.isdigit() else 0


def _reason(problem: BaseException, seconds: float) -> str:
    """Why there is no answer, in one line."""
    if isinstance(problem, TimeoutError):
        return f"no answer in {seconds:g} s"
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {problem.certificate_error}"
    if isinstance(problem, aiohttp.ClientHttpProxyError):
        return f"the proxy refused to connect ({problem.status}): {problem.message}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        by = "the proxy before it: " if isinstance(problem, aiohttp.ClientProxyConnectionError) else ""
        number = problem.os_error.errno
        # OpenSSL's errors have numbers of their own.
        known = number and number > 0 and not isinstance(problem.os_error, ssl.SSLError)
        return by + (os.strerror(number) if known and number else str(problem.os_error))
    return " ".join(str(problem).split()) or type(problem).__name__
