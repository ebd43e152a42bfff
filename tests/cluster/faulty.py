"""A collection that changes behind a server with a fault, and a reflector that follows it."""

import asyncio
import functools
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.memory_budget import Budget
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.gaps import WATCH_PENDING, Gaps
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.cluster.watch.store import Key
from hpaaudit.cluster.watch.watch_list import END
from hpaaudit.model.units import Micros
from tests.cluster.unruly import Unruly

if TYPE_CHECKING:
    from hpaaudit.model.facts import Gap

Fault = Callable[["World", web.Request], Awaitable[web.StreamResponse]]


def thing(name: str, version: int, **more: Any) -> dict[str, Any]:
    """An object."""
    return {"metadata": {"namespace": "shop", "name": name, "resourceVersion": str(version)}, **more}


def event(kind: str, raw: dict[str, Any]) -> bytes:
    """A line of a watch."""
    return json.dumps({"type": kind, "object": raw}).encode() + b"\n"


def end(version: int) -> bytes:
    """The bookmark that ends the initial events."""
    meta = {"resourceVersion": str(version), "annotations": {END: "true"}}
    return event("BOOKMARK", {"kind": "Thing", "metadata": meta, "spec": {"containers": None}})


async def stream(request: web.Request, *lines: bytes, stay: bool = False) -> web.StreamResponse:
    """A watch that says this and ends, or stays silent."""
    response = web.StreamResponse()
    await response.prepare(request)
    for line in lines:
        await response.write(line)
    if stay:
        await asyncio.sleep(60)
    return response


class World:
    """A collection with `a` and `b`, until `change` deletes `b` and adds `c`; and what a watch tells of it."""

    def __init__(self, fault: Fault) -> None:
        self.fault: Fault | None = fault
        self.things, self.version = {"a": 1, "b": 2}, 5
        self.counts: Counter[str] = Counter()
        self.known_names: set[str] = set()
        self.wholes = 0
        self.news = asyncio.Event()
        self.told_us: list[Micros] = []
        self.gaps: list[Gap] = []

    def change(self) -> None:
        """What a watch must not miss."""
        self.things, self.version = {"a": 1, "c": 9}, 9

    # The server

    async def reply(self, request: web.Request) -> web.StreamResponse:
        """Counts, and misbehave while told to."""
        kind = "stream" if "sendInitialEvents" in request.query else "watch" if "watch" in request.query else "list"
        self.counts[kind] += 1
        self.news.set()
        if self.fault:
            return await self.fault(self, request)
        return await self.behave(request)

    async def behave(self, request: web.Request) -> web.StreamResponse:
        """A list, or a watch that replays what happened since its version or streams all, and then says nothing."""
        items = [thing(name, version) for name, version in self.things.items()]
        if "sendInitialEvents" in request.query:
            return await stream(request, *(event("ADDED", item) for item in items), end(self.version), stay=True)
        if "watch" not in request.query:
            meta = {"resourceVersion": str(self.version)}
            return web.json_response({"kind": "ThingList", "apiVersion": "v1", "metadata": meta, "items": items})
        return await stream(request, *self.since(int(request.query["resourceVersion"])), stay=True)

    def since(self, version: int) -> list[bytes]:
        """The events after a version."""
        if version >= self.version:
            return []
        return [event("DELETED", thing("b", 8)), event("ADDED", thing("c", 9))]

    # The follower

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """An object is there."""
        self._note(at_us)
        self.known_names.add(raw["metadata"]["name"])

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """And is no more."""
        self._note(at_us)
        self.known_names.discard(raw["metadata"]["name"])

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """After all was told; `wholes` counts how often."""
        self.wholes += 1
        self._note(at_us)
        self.known_names &= {name for _, name in keys}

    def _note(self, at_us: Micros) -> None:
        self.told_us.append(at_us)
        self.news.set()


def of_watches(fault: Fault) -> Fault:
    """Lists are as they should be."""
    return _of("watch", fault)


def of_streams(fault: Fault) -> Fault:
    """Lists are as they should be, and watches that go on from a version."""
    return _of("sendInitialEvents", fault)


def _of(word: str, fault: Fault) -> Fault:
    @functools.wraps(fault)
    async def faulty(world: World, request: web.Request) -> web.StreamResponse:
        return await (fault(world, request) if word in request.query else world.behave(request))

    return faulty


class Play:
    """A watch of a world through a server over TLS; `streamed`: with WatchList."""

    def __init__(self, world: World, pki: Path, clock: Clock | None = None, *, streamed: bool = False) -> None:
        self.streamed = streamed
        self.world, self.server, self.clock = world, Unruly(pki, world.reply), clock or Clock()
        self.gaps = Gaps(world.gaps.append)

    async def __aenter__(self) -> Self:
        await self.server.up()
        access = ClientConfig(
            source="test", context="test", server=self.server.url, authority=self.server.pki / "ca.crt"
        )
        # No limit on requests: what runs hot shall be seen. None on memory: this process holds what other tests left.
        self.client = Client(access, self.clock, qps=100_000, budget=Budget(1 << 40))
        await self.client.__aenter__()
        self.watch = Reflector(
            self.client, Collection(path="/things"), self.world, self.gaps, use_watch_list=self.streamed
        )
        self.running = asyncio.create_task(self.watch.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert not self.running.done()
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)
        await self.client.__aexit__(None, None, None)
        await self.server.down()

    @property
    def lost(self) -> dict[str, str]:
        """Opens gaps with their causes; that a watch was just asked for is none yet."""
        return {prefix: cause for prefix, (_, cause) in self.gaps.open.items() if cause != WATCH_PENDING}

    async def knows(self, *names: str) -> None:
        """Waits until these objects are all that is known."""
        await self.until(lambda: self.world.known_names == set(names))

    async def was_asked(self, kind: str, times: int) -> None:
        """Waits until so many of this kind came: `list`, `watch`, or `stream` with initial events."""
        await self.until(lambda: self.world.counts[kind] >= times)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for what a request or something told may bring."""
        async with asyncio.timeout(10):
            while not holds():
                self.world.news.clear()
                await self.world.news.wait()
