"""Asks one API server: GETs, streams of a watch, and errors in one clear line."""

import asyncio
import contextlib
import os
import ssl
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec
from yarl import URL

from hpaaudit.cluster.clock import Clock
from hpaaudit.cluster.kubeconfig import Access
from hpaaudit.errors import Forbidden, NotServed, Unreachable
from hpaaudit.model.units import Micros

GET_SECONDS = 30
"""How long an answer may take."""
QUIET_SECONDS = 150
"""How long a watch may say nothing: the server sends a bookmark about once a minute."""
CLOSING_SECONDS = 0.05
QPS, BURST = 20, 40
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, TOO_MANY = 200, 401, 403, 404, 410, 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of one request.

    status   0: no answer at all, and `error` says why
    body     decoded JSON, or text;  date  the Date header, empty without;  retry_seconds  of Retry-After
    """

    path: str
    status: int
    body: Any
    error: str
    sent_us: Micros
    at_us: Micros
    date: str = ""
    retry_seconds: float = 0

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
            return str(self.body.get("message") or self.body.get("reason") or self.status)
        return self.error or " ".join(str(self.body).split())[:200] or f"status {self.status}"


class WatchFailed(Exception):
    """A watch that was refused: the answer says how."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.message)
        self.answer = answer


class Client:
    """One session with one API server; at most QPS requests a second, BURST at once.

    Use as an async context manager.
    """

    def __init__(self, access: Access, clock: Clock, *, qps: float = QPS) -> None:
        self.access, self.clock = access, clock
        self._qps, self._free_at = qps, 0.0
        self._token, self._token_stamp = access.token, 0
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        tls: ssl.SSLContext | bool = _tls(self.access) if self.access.server.startswith("https:") else False
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=0),
            headers={"User-Agent": _agent(), "Accept": "application/json"},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()
            # TLS connections are aborted one turn of the loop later.
            await asyncio.sleep(CLOSING_SECONDS)

    async def get(self, path: str, *, seconds: float = GET_SECONDS) -> Answer:
        """One answer, whatever it is; never raises for what the server or the network did."""
        return await self._ask("GET", path, None, seconds)

    async def post(self, path: str, body: Any) -> Answer:
        """The answer to a review; nothing else is ever posted."""
        return await self._ask("POST", path, body, GET_SECONDS)

    async def _ask(self, method: str, path: str, body: Any, seconds: float) -> Answer:
        await self._turn()
        sent = self.clock.now()
        try:
            async with self._request(method, path, body, aiohttp.ClientTimeout(total=seconds, sock_connect=10)) as got:
                data = await got.read()
                return Answer(
                    path=path,
                    status=got.status,
                    body=_decoded(data),
                    error="",
                    sent_us=sent,
                    at_us=self.clock.now(),
                    date=got.headers.get("Date", ""),
                    retry_seconds=_seconds(got.headers.get("Retry-After", "")),
                )
        except (aiohttp.ClientError, TimeoutError, OSError) as problem:
            text = _reason(problem, seconds)
            return Answer(path=path, status=0, body=None, error=text, sent_us=sent, at_us=self.clock.now())

    async def lines(self, path: str) -> AsyncGenerator[bytes, None]:
        """The lines of a watch, of any length; first an empty one, when it stands.

        WatchFailed when it is refused; aiohttp's errors and TimeoutError when it breaks.
        """
        await self._turn()
        sent = self.clock.now()
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=QUIET_SECONDS)
        async with self._request("GET", path, None, timeout) as got:
            if got.status != OK:
                body, retry = _decoded(await got.read()), _seconds(got.headers.get("Retry-After", ""))
                answer = Answer(
                    path=path,
                    status=got.status,
                    body=body,
                    error="",
                    sent_us=sent,
                    at_us=self.clock.now(),
                    retry_seconds=retry,
                )
                raise WatchFailed(answer)
            yield b""
            rest = b""
            async for chunk in got.content.iter_any():
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    yield line

    def _request(
        self, method: str, path: str, body: Any, timeout: aiohttp.ClientTimeout
    ) -> contextlib.AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("the client is not open")
        headers = {"Authorization": f"Bearer {token}"} if (token := self._bearer()) else {}
        # The path goes out as it is: an escaped star must stay escaped.
        url = URL(self.access.server + path, encoded=True)
        named = self.access.server_name or None
        return self._session.request(
            method, url, json=body, headers=headers, timeout=timeout, allow_redirects=False, server_hostname=named
        )

    def _bearer(self) -> str:
        """The token; one in a file is read again when the file has changed."""
        file = self.access.token_file
        if file is None:
            return self._token
        try:
            stamp = file.stat().st_mtime_ns
            if stamp != self._token_stamp:
                self._token, self._token_stamp = file.read_text().strip(), stamp
        except OSError as problem:
            if not self._token:
                raise Unreachable(f"{self.access.source}: tokenFile {file}: {problem.strerror}") from None
        return self._token

    async def _turn(self) -> None:
        """Wait for the budget."""
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at + 1 / self._qps, now - BURST / self._qps)
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


def _tls(access: Access) -> ssl.SSLContext:
    """A context that verifies the server, unless the kubeconfig says otherwise, and shows our certificate."""
    try:
        context = ssl.create_default_context(cadata=access.authority.decode() if access.authority else None)
    except (ssl.SSLError, ValueError):
        raise Unreachable(f"{access.source}: the certificate authority of {access.context} is not PEM") from None
    if not access.verify:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if access.certificate and access.key:
        # OpenSSL reads a pair only from files.
        with tempfile.TemporaryDirectory() as name:
            pair = Path(name, "pair.pem")
            pair.touch(mode=0o600)
            pair.write_bytes(access.certificate + b"\n" + access.key)
            try:
                context.load_cert_chain(pair)
            except (ssl.SSLError, OSError):
                raise Unreachable(
                    f"{access.source}: client certificate and key of {access.context} do not fit"
                ) from None
    return context


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return data.decode(errors="replace")


def _seconds(text: str) -> float:
    return float(text) if text.isdigit() else 0


def _reason(problem: BaseException, seconds: float) -> str:
    """Why there is no answer, in one line."""
    if isinstance(problem, TimeoutError):
        return f"no answer in {seconds:g} s"
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {problem.certificate_error}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        number = problem.os_error.errno
        return os.strerror(number) if number and number > 0 else str(problem.os_error)
    return " ".join(str(problem).split()) or type(problem).__name__
