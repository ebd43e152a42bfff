"""Bytes that a server may send instead of an answer: each ends in one line, within limits of time and memory."""

import asyncio
import contextlib
import gzip
import json
import random
import zlib
from collections.abc import Awaitable, Callable
from typing import Self

import pytest

from hpaaudit.api.pod_metrics import pod_sample, pod_samples
from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client import body as bodies
from hpaaudit.cluster.client import http_answer as answers
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock, Offset
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.client.memory_budget import Budget
from hpaaudit.cluster.decoding.decoders import USAGE, TooLong, decoded
from hpaaudit.model.units import Micros

MB = 1 << 20
TOKEN = f"of-{id(pytest)}-known"
Say = Callable[[asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Raw:
    """A server that says what it wants to every connection, byte by byte; `asked` are the heads of its requests."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.asked: list[bytes] = []
        self.talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for task in self.talks:
            task.cancel()
        await asyncio.gather(*self.talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            self.talks.add(task)
        try:
            self.asked.append(await reader.readuntil(b"\r\n\r\n"))
            await self.say(writer)
            await writer.drain()
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            pass  # who has heard enough hangs up
        finally:
            if writer.is_closing():
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
            else:
                writer.transport.abort()

    def client(self) -> Client:
        """Who asks it, with a budget of 8 MB of which one answer may have 4."""
        return Client(
            ClientConfig(source="test", context="test", server=self.url, token=TOKEN),
            Clock(),
            qps=10_000,
            budget=Budget(64 * MB),
        )


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large this process is; and nobody needs minutes."""
    monkeypatch.setattr(Budget, "is_measured_full", False)
    monkeypatch.setattr(bodies, "SLOW_SECONDS", 0.2)


def ask(say: Say, *, seconds: float = 1, path: str = "/version") -> Answer:
    """The answer to one question."""

    async def play() -> Answer:
        async with Raw(say) as server, server.client() as client:
            return await client.get(path, seconds=seconds)

    return asyncio.run(asyncio.wait_for(play(), 20))


def response_of(*pieces: bytes) -> Say:
    """These pieces, and the end."""

    async def say(writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return say


def dripped(first: bytes, drop: bytes, pause: float) -> Say:
    """A beginning, and then a drop now and then for ever."""

    async def say(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(pause)

    return say


def packed(data: bytes, name: bytes = b"gzip") -> tuple[bytes, ...]:
    """A body that is packed, with its head."""
    return HEAD + b"Content-Encoding: " + name + b"\r\nConnection: close\r\n\r\n", data


def bomb(size: int) -> bytes:
    """A gzip of a few kB that unpacks to so many bytes of JSON."""
    packing = zlib.compressobj(9, wbits=31)
    parts = [packing.compress(b'"')]
    parts += [packing.compress(b"x" * MB) for _ in range(size // MB)]
    return b"".join([*parts, packing.compress(b'"'), packing.flush()])


ODD: dict[str, tuple[Say, str]] = {
    "a bomb": (response_of(*packed(bomb(64 * MB))), "the answer takes more than 4 MB of memory"),
    "a packing that nobody asked for": (
        response_of(*packed(b"{}", b"br")),
        "its Content-Encoding 'br' was not asked for",
    ),
    "no gzip": (response_of(*packed(b"{}")), "it is not gzip"),
    "half a gzip": (response_of(*packed(gzip.compress(b"[1]" * 999)[:20])), "its gzip has no end"),
    "a drop of the body now and then": (
        dripped(HEAD + b"Content-Length: 100000\r\n\r\n{", b" ", 0.05),
        "it came too slowly",
    ),
    "a chunk now and then": (
        dripped(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.05),
        "it came too slowly",
    ),
    "a head without end": (dripped(HEAD, b"X-More: x\r\n", 0.0001), "Too many headers"),
    "a header without end": (dripped(HEAD + b"X: ", b"x" * 1000, 0.001), "Got more than"),
    "a head that drips": (dripped(HEAD, b"x", 0.05), "no answer in 1 s"),
    "continue for ever": (dripped(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001), "no answer in 1 s"),
    "nothing": (dripped(b"", b"", 0.05), "no answer in 1 s"),
    "no HTTP": (response_of(b"\x16\x03\x01 hello\r\n\r\n"), "Bad status line"),
    "half of a body": (response_of(HEAD + b"Content-Length: 10\r\n\r\n{"), "Response payload is not completed"),
    "a chunk of a negative size": (response_of(HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n"), ""),
    "a body of billions, by its header": (
        dripped(HEAD + b"Content-Length: 99999999999\r\n\r\n", b" " * MB, 0),
        "the answer takes more than 4 MB of memory",
    ),
    "objects upon objects": (
        response_of(HEAD + b"Connection: close\r\n\r\n", b"[" + b"{}," * (MB - 1) + b"{}]"),
        "the answer takes more than 4 MB of memory",
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_no_answer_is_one_line(case: str) -> None:
    say, why = ODD[case]
    answer = ask(say)
    assert answer.status == 0
    assert why in answer.error
    assert "\n" not in answer.error
    assert answer.too_long == ("MB" in why)


def test_a_redirect_is_not_followed() -> None:
    async def play() -> None:
        async with Raw(response_of(b"HTTP/1.1 302 Found\r\nLocation: /version\r\nContent-Length: 0\r\n\r\n")) as server:
            async with server.client() as client:
                answer = await client.get("/version")
            assert (answer.status, answer.good) == (302, False)
            assert len(server.asked) == 1

    asyncio.run(play())


def test_no_cookie_is_ever_sent_back() -> None:
    async def play() -> None:
        cookies = b"".join(b"Set-Cookie: c%d=%s\r\n" % (number, b"x" * 100) for number in range(50))
        async with (
            Raw(response_of(HEAD + cookies + b"Content-Length: 2\r\n\r\n{}")) as server,
            server.client() as client,
        ):
            assert [(await client.get("/version")).status for _ in range(2)] == [200, 200]
            assert not any(b"cookie" in head.lower() for head in server.asked)

    asyncio.run(play())


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5), ("²", 0), ("٣", 0), ("-1", 0), ("1.5", 0), ("9" * 400, 999999999)]
)
def test_only_a_plain_number_says_when_to_come_again(text: str, seconds: float) -> None:
    head = b"HTTP/1.1 429 No\r\nContent-Length: 2\r\nRetry-After: " + text.encode() + b"\r\n\r\n{}"
    answer = ask(response_of(head))
    assert (answer.status, answer.retry_seconds) == (429, seconds)


@pytest.mark.parametrize(
    "date", ["", "²", "Mon, 99 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 99999 00:00:00 GMT", "x" * 5000]
)
def test_a_date_that_is_none_tells_no_clock(date: str) -> None:
    assert Offset().read(date, Micros(0), Micros(1)) is None


def test_a_refusal_that_repeats_the_token_and_has_no_end_is_cut_and_does_not_tell_it() -> None:
    short = json.dumps({"message": f"no entry for {TOKEN} " + "x" * 10_000}).encode()
    head = b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n"
    answer = ask(response_of(head, short))
    assert answer.message.startswith("no entry for [token] xxx")
    assert len(answer.message) == answers.MAX_MESSAGE
    endless = ask(dripped(head, b"x" * MB, 0))
    assert endless.error.startswith("the answer is longer than 1 MB")


ITEM = {"metadata": {"name": "web-0"}, "timestamp": "2026-03-02T12:00:00Z", "window": "15s",
        "containers": [{"name": "app", "usage": {"cpu": "5n", "memory": "7Ki"}}]}  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_list_is_the_same_in_whatever_pieces_and_packing_it_comes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a whole, item by item, packed, and in pieces of any size with pauses."""
    chance = random.Random(seed)  # noqa: S311
    monkeypatch.setattr(bodies, "LONG_BYTES", chance.choice((10, 1000, 10**9)))
    count = chance.randrange(200)
    data = json.dumps({"items": [{**ITEM, "metadata": {"name": f"web-{n}"}} for n in range(count)]}).encode()
    head = HEAD + b"Connection: close\r\n"
    if packing := chance.random() < 0.5:
        data, head = gzip.compress(data), head + b"Content-Encoding: gzip\r\n"
    pieces, left = [head + b"\r\n"], data
    while left:
        size = chance.choice((1, 7, 100, 5000, len(left)))
        pieces, left = [*pieces, left[:size]], left[size:]
        if len(pieces) > 300:
            pieces, left = [*pieces, left], b""

    async def play() -> Answer:
        async with Raw(response_of(*pieces)) as server, server.client() as client:
            return await client.get("/x", decode=lambda text: decoded(text, USAGE), item=pod_sample)

    answer = asyncio.run(play())
    assert answer.status == 200, (packing, answer.error)
    samples = pod_samples(answer.body)
    assert [sample.pod for sample in samples] == [f"web-{n}" for n in range(count)]
    assert {dict(sample.containers[0].usage)["memory"] for sample in samples} <= {7 * 1024 * 1000}


# Watches


def follow(say: Say, seconds: float = 0.5) -> list[bytes]:
    """The lines of a watch until it ends."""

    async def play() -> list[bytes]:
        async with Raw(say) as server, server.client() as client:
            return [line async for line in client.lines("/things?watch=1", seconds=seconds)]

    return asyncio.run(asyncio.wait_for(play(), 20))


@pytest.mark.parametrize(
    "say",
    [dripped(HEAD, b"x", 0.05), dripped(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.001), dripped(b"", b"", 0.05)],
    ids=["it drips", "continue for ever", "nothing"],
)
def test_a_watch_whose_head_does_not_come_is_given_up(say: Say) -> None:
    with pytest.raises(TimeoutError):
        follow(say)


@pytest.mark.parametrize("unit", [b"x", b" ", b"{},"])
def test_a_line_of_a_watch_has_a_bound(unit: bytes) -> None:
    with pytest.raises(TooLong, match="more than 4 MB"):
        follow(dripped(HEAD + b"Connection: close\r\n\r\n", unit * (MB // len(unit)), 0))


def test_a_line_of_many_small_objects_is_too_long_before_it_is_decoded() -> None:
    with pytest.raises(TooLong, match="more than 4 MB"):
        follow(response_of(HEAD + b"Connection: close\r\n\r\n", b"[" + b"{}," * 300_000 + b"{}]\n"))


@pytest.mark.parametrize("seed", range(10))
def test_the_lines_of_a_watch_are_the_same_in_whatever_pieces_they_come(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    lines = [bytes(chance.choices(b"abc{} ", k=chance.randrange(300))) for _ in range(chance.randrange(1, 60))]
    left, pieces = b"\n".join([*lines, b"half"]), []
    while left:
        size = chance.choice((1, 2, 50, 3000))
        pieces, left = [*pieces, left[:size]], left[size:]
    head = HEAD + b"Connection: close\r\n\r\n"
    assert follow(response_of(head, *pieces)) == [b"", *lines]
