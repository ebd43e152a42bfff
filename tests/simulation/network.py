"""The network between a recorder and the server: latency, cuts, refusals, watches that stall, repeat or come late."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
from yarl import URL

from tests.simulation.machine import SECOND, Machine
from tests.simulation.server import Change, Kind, Object, Reply, Server, bookmark, end_of_initial, matches, status_of

BOOKMARK_SECONDS = 50
UNANSWERED = 10**9
"""Seconds after which nothing comes any more."""


@dataclass
class Odds:
    """How often a request or a watch goes wrong, and how: chances of 0 to 1; `latency` and `late` in seconds."""

    latency: float = 0.05
    refused: float = 0
    unavailable: float = 0
    throttled: float = 0
    unauthorized: float = 0
    odd: float = 0
    cut_answer: float = 0
    slow: float = 0
    cut: float = 0
    early_end: float = 0
    stall: float = 0
    repeat: float = 0
    late: float = 0
    malformed: float = 0
    expired: float = 0


@dataclass
class Network:
    """What lies between.

    down        nobody answers;  forbidden   resources that may not be read now
    stalled     watches in which nothing comes any more: resource, and since when
    """

    machine: Machine
    server: Server
    chance: random.Random
    odds: Odds
    trace: Callable[[str], None]
    down: bool = False
    forbidden: set[str] = field(default_factory=set)
    calm: bool = False
    streams: "list[Stream]" = field(default_factory=list)
    malformed: list[tuple[int, str, str, str]] = field(default_factory=list)

    def happens(self, odds: float, what: str) -> bool:
        """Whether a fault happens."""
        if self.calm or not odds or self.chance.random() >= odds:
            return False
        self.trace(what)
        return True

    def delay(self) -> float:
        """How long one way takes."""
        return self.chance.random() * self.odds.latency + 0.001

    def break_all(self) -> None:
        """All connections break."""
        for stream in list(self.streams):
            stream.end("cut")

    def request(self, method: str, url: URL, **options: Any) -> "Request":
        """Ask: an async context manager, as aiohttp's."""
        return Request(self, method, url, options.get("timeout") or aiohttp.ClientTimeout())

    async def close(self) -> None:
        """Hang up."""
        for stream in list(self.streams):
            stream.closed()


class Request:
    """One request."""

    def __init__(self, network: Network, method: str, url: URL, timeout: aiohttp.ClientTimeout) -> None:
        self.network, self.method, self.timeout = network, method, timeout
        parts = urlsplit(str(url))
        self.path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        self.query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        self.stream: Stream | None = None

    async def __aenter__(self) -> "Response":
        network = self.network
        await self._wait(network.delay())
        if network.down:
            raise aiohttp.ClientConnectionError("Connection refused")
        if network.happens(network.odds.refused, f"refused {self.path}"):
            raise aiohttp.ServerDisconnectedError
        if network.happens(network.odds.slow, f"slow {self.path}"):
            await self._wait(network.chance.choice((3, 12, 28, 60)))
            if network.down:
                raise aiohttp.ClientConnectionError("Connection reset by peer")
        kind, namespace, _, _ = network.server.resource_of(urlsplit(self.path).path)
        refusal = self._refusal(kind)
        if refusal is not None:
            return self._answer(refusal)
        if kind is not None and "watch" in self.query:
            return self._watch(kind, namespace)
        reply = network.server.get(self.path)
        await self._wait(network.delay())
        if network.happens(network.odds.odd, f"odd answer to {self.path}"):
            reply = Reply(200, network.chance.choice(ODD))
        return self._answer(reply)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.stream:
            self.stream.closed()

    async def _wait(self, seconds: float) -> None:
        longest = self.timeout.total if self.timeout.total is not None else UNANSWERED
        if self.timeout.total is None and self.timeout.sock_read is not None:
            longest = self.timeout.sock_read
        if seconds >= longest:
            await asyncio.sleep(longest)
            raise aiohttp.SocketTimeoutError("Timeout on reading data from socket")
        await asyncio.sleep(seconds)

    def _refusal(self, kind: Kind | None) -> Reply | None:
        network = self.network
        resource = kind.resource if kind else self.path.split("/")[2] if self.path.count("/") > 2 else ""
        if resource in network.forbidden:
            return Reply(403, status_of(403, "Forbidden", f"{resource} is forbidden"))
        for odds, status, reason in (
            (network.odds.unauthorized, 401, "Unauthorized"),
            (network.odds.unavailable, 503, "ServiceUnavailable"),
            (network.odds.throttled, 429, "TooManyRequests"),
        ):
            if network.happens(odds, f"{status} for {self.path}"):
                headers = {"Retry-After": "2"} if status == 429 else {}
                return Reply(status, status_of(status, reason, reason), headers)
        return None

    def _answer(self, reply: Reply) -> "Response":
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        machine = self.network.machine
        headers = {"Date": formatdate(machine.now_us // SECOND, usegmt=True), **reply.headers}
        cut = self.network.happens(self.network.odds.cut_answer, f"the answer to {self.path} is cut")
        return Response(reply.status, headers, Body([data[: len(data) // 2]] if cut else [data], cut=cut))

    def _watch(self, kind: Kind, namespace: str) -> "Response":
        network, query = self.network, self.query
        collection = network.server.collections[kind.resource]
        version = int(query.get("resourceVersion") or 0)
        self.stream = stream = Stream(network, kind, namespace, query, self.timeout.sock_read or UNANSWERED)
        if "sendInitialEvents" in query:
            for raw in network.server.selected(kind, namespace, query):
                stream.say("ADDED", raw)
            stream.say("BOOKMARK", end_of_initial(kind, network.server.version))
        elif version > network.server.version:
            reply = status_of(
                504, "Timeout", f"Too large resource version: {version}, current: {network.server.version}"
            )
            stream.closed()
            return self._answer(Reply(504, reply))
        elif version < collection.forgotten or network.happens(
            network.odds.expired, f"410 for a watch of {kind.resource}"
        ):
            stream.say("ERROR", status_of(410, "Expired", f"too old resource version: {version}"))
            stream.end("ended")
        else:
            for change in collection.past:
                if change.version > version:
                    stream.take(kind.resource, change)
        return Response(200, {}, stream)


ODD: tuple[Any, ...] = (
    b"",
    b"<html>login</html>",
    b"null",
    b"[]",
    b"{}",
    b'{"kind":"Status"}',
    b'{"items":null,"metadata":null}',
    b'{"items":[null],"metadata":{"resourceVersion":"1"}}',
    b'{"items":[{}],"metadata":{}}',
    b'{"groups":null,"versions":null,"gitVersion":1}',
    b'{"resources":[{}],"kind":1}',
    b"\xff\xfe\x00",
    b'{"metadata":{"resourceVersion":7},"items":[{"metadata":{"name":1}}]}',
)


@dataclass
class Response:
    """What aiohttp's response shows us."""

    status: int
    headers: dict[str, str]
    content: "Body | Stream"


@dataclass
class Body:
    """The bytes of an answer."""

    chunks: list[bytes]
    cut: bool

    async def iter_any(self) -> AsyncIterator[bytes]:
        """As they come."""
        for chunk in self.chunks:
            await asyncio.sleep(0)
            yield chunk
        if self.cut:
            raise aiohttp.ClientPayloadError("Response payload is not completed")


class Stream:
    """A watch: chunks that come when it is their time."""

    def __init__(self, network: Network, kind: Kind, namespace: str, query: dict[str, str], quiet: float) -> None:
        self.network, self.kind, self.namespace, self.query, self.quiet = network, kind, namespace, query, quiet
        self.machine = network.machine
        self.due: list[tuple[int, bytes | str]] = []
        self.last_us = 0
        self.is_open, self.stalled_us = True, 0
        self.waiting: asyncio.Future[None] | None = None
        self.loop = asyncio.get_running_loop()
        network.streams.append(self)
        network.server.watchers.append(self.take)
        seconds = int(query.get("timeoutSeconds") or 100)
        if network.happens(network.odds.early_end, f"a watch of {kind.resource} ends early"):
            seconds = network.chance.choice((0, 1, 5, 20))
        self.machine.after(seconds, lambda: self.end("ended"))
        if network.happens(network.odds.cut, f"a watch of {kind.resource} will break"):
            self.machine.after(network.chance.random() * seconds, lambda: self.end("cut"))
        if network.happens(network.odds.stall, f"a watch of {kind.resource} will stall"):
            self.machine.after(network.chance.random() * seconds, self.stall)
        if kind.resource != "events":
            self.machine.after(BOOKMARK_SECONDS, self._bookmark)

    def stall(self) -> None:
        """Nothing comes any more, not even an end."""
        if self.is_open and not self.network.calm:
            self.stalled_us = self.machine.now_us
            self.network.trace(f"a watch of {self.kind.resource} stalls")

    def _bookmark(self) -> None:
        if self.is_open:
            self.say("BOOKMARK", bookmark(self.kind, self.network.server.version))
            self.machine.after(BOOKMARK_SECONDS, self._bookmark)

    def take(self, resource: str, change: Change) -> None:
        """A change: it is told if it was asked for."""
        if not self.is_open or resource != self.kind.resource or not matches(change.object, self.namespace, self.query):
            return
        network = self.network
        if network.happens(
            network.odds.malformed, f"a malformed {self.kind.kind} of {change.object['metadata']['name']}"
        ):
            self.say_bytes(
                network.chance.choice((b'{"type":"MODIFIED","object":{}}\n', b"{\n", b'{"type":"MODIFIED"}\n'))
            )
            return
        self.say(change.verb, change.object)
        if network.happens(network.odds.repeat, f"an event of {self.kind.resource} comes twice"):
            self.say(change.verb, change.object)

    def say(self, verb: str, raw: Object) -> None:
        """Send a line."""
        self.say_bytes(json.dumps({"type": verb, "object": raw}).encode() + b"\n")

    def say_bytes(self, data: bytes | str) -> None:
        """Send: it arrives later, in order."""
        if self.stalled_us:
            return
        delay = self.network.delay()
        if self.network.odds.late and not self.network.calm and self.network.chance.random() < 0.1:
            delay += self.network.chance.random() * self.network.odds.late
        self.last_us = max(self.last_us + 1, self.machine.now_us + round(delay * SECOND))
        self.due.append((self.last_us, data))
        self.machine.at(self.last_us, self._wake)

    def end(self, how: str) -> None:
        """The server ends it, or the connection breaks."""
        if self.is_open:
            self.say_bytes(how)

    def closed(self) -> None:
        """Nobody listens any more."""
        self.is_open = False
        if self in self.network.streams:
            self.network.streams.remove(self)
            self.network.server.watchers.remove(self.take)

    def _wake(self) -> None:
        if self.waiting and not self.waiting.done() and not self.loop.is_closed():
            self.waiting.set_result(None)

    async def iter_any(self) -> AsyncIterator[bytes]:
        """Chunks as they arrive."""
        while True:
            while self.due and self.due[0][0] <= self.machine.now_us:
                _, data = self.due.pop(0)
                if data == "ended":
                    return
                if data == "cut":
                    raise aiohttp.ClientPayloadError("Connection lost")
                assert isinstance(data, bytes)
                half = self.network.chance.randrange(len(data) + 1) if self.network.chance.random() < 0.1 else len(data)
                yield data[:half]
                if data[half:]:
                    yield data[half:]
            self.waiting = self.loop.create_future()
            try:
                async with asyncio.timeout(self.quiet):
                    await self.waiting
            except TimeoutError:
                raise aiohttp.SocketTimeoutError("Timeout on reading data from socket") from None
