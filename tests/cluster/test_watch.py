"""A watch against a server that misbehaves on demand."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.memory_budget import Budget
from hpaaudit.cluster.watch import backoff
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.cluster.watch.store import Key
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.model.facts import Gap

Reply = Callable[[web.Request, int], Awaitable[web.StreamResponse]]


class Notebook:
    """Writes down what a watch tells."""

    def __init__(self, until: str) -> None:
        self.lines: list[str] = []
        self.gaps: list[Gap] = []
        self.until, self.enough = until, asyncio.Event()

    def tell(self, line: str) -> None:
        """One more line, perhaps the last one that matters."""
        self.lines.append(line)
        if line == self.until:
            self.enough.set()

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """An object with `bad` cannot be read."""
        assert at_us
        if raw.get("bad"):
            raise ValueError("bad")
        self.tell(f"changed {raw['metadata']['name']}")

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        assert at_us
        self.tell(f"gone {raw['metadata']['name']}")

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """A list ended."""
        assert at_us
        self.tell("only " + " ".join(sorted(name for _, name in keys)))


def thing(name: str, version: int, **more: Any) -> dict[str, Any]:
    """An object."""
    return {"metadata": {"namespace": "shop", "name": name, "resourceVersion": str(version)}, **more}


def listed(version: int, *items: dict[str, Any], following: str = "") -> web.Response:
    """A list, or a page of one."""
    meta = {"resourceVersion": str(version), **({"continue": following} if following else {})}
    return web.json_response({"kind": "ThingList", "apiVersion": "v1", "metadata": meta, "items": items})


def status(code: int, **headers: str) -> web.Response:
    """A refusal."""
    body = {"kind": "Status", "code": code, "message": f"told to answer {code}"}
    return web.json_response(body, status=code, headers=headers)


async def stream(request: web.Request, *events: tuple[str, dict[str, Any]], stay: bool = False) -> web.StreamResponse:
    """A watch with these events that ends, or stays open."""
    response = web.StreamResponse()
    await response.prepare(request)
    for kind, raw in events:
        await response.write(json.dumps({"type": kind, "object": raw}).encode() + b"\n")
    if stay:
        await asyncio.sleep(60)
    return response


def follow(lists: Reply, watches: Reply, until: str) -> Notebook:
    """Follow a server's things until this was told; each reply knows how many came before it."""
    notebook = Notebook(until)

    async def run() -> None:
        counts = {"list": 0, "watch": 0}

        async def answer(request: web.Request) -> web.StreamResponse:
            kind = "watch" if "watch" in request.query else "list"
            counts[kind] += 1
            return await (watches if kind == "watch" else lists)(request, counts[kind] - 1)

        application = web.Application()
        application.router.add_get("/things", answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        access = ClientConfig(source="test", context="test", server=f"http://127.0.0.1:{port}")
        try:
            async with Client(access, Clock()) as client:
                # The process that runs the tests may be larger than a recorder's limit.
                client.budget = Budget(limit=1 << 40)
                watch = Reflector(client, Collection(path="/things"), notebook, Gaps(notebook.gaps.append))
                running = asyncio.create_task(watch.run())
                async with asyncio.timeout(120):
                    await notebook.enough.wait()
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
        finally:
            await runner.cleanup()

    asyncio.run(run())
    return notebook


async def one_thing(_: web.Request, count: int) -> web.Response:
    """Every list has one thing, in a newer version each time."""
    return listed(5 + count, thing("a", 5 + count))


def test_events_follow_the_list_and_bookmarks_say_nothing() -> None:
    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        assert request.query["resourceVersion"] == "5"
        bookmark = {"kind": "Thing", "metadata": {"resourceVersion": "8"}, "spec": {"containers": None}}
        events = [("ADDED", thing("b", 6)), ("BOOKMARK", bookmark), ("DELETED", thing("a", 9))]
        return await stream(request, *events, stay=True)

    assert follow(one_thing, watches, "gone a").lines == ["changed a", "only a", "changed b", "gone a"]


def test_a_watch_that_ends_is_taken_up_at_the_newest_version() -> None:
    async def watches(request: web.Request, count: int) -> web.StreamResponse:
        if not count:
            return await stream(request, ("BOOKMARK", {"metadata": {"resourceVersion": "70"}}))
        assert request.query["resourceVersion"] == "70"
        return await stream(request, ("ADDED", thing("b", 71)), stay=True)

    notebook = follow(one_thing, watches, "changed b")
    assert notebook.lines.count("only a") == 1
    assert not notebook.gaps


def test_pages_are_one_list() -> None:
    async def lists(request: web.Request, _: int) -> web.Response:
        if "continue" not in request.query:
            return listed(5, thing("a", 1), following="more")
        return listed(5, thing("b", 2))

    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        return await stream(request, stay=True)

    assert follow(lists, watches, "only a b").lines == ["changed a", "changed b", "only a b"]


def test_a_forgotten_past_is_listed_anew_without_a_gap() -> None:
    async def watches(request: web.Request, count: int) -> web.StreamResponse:
        if not count:
            return await stream(request, ("ERROR", {"code": 410, "message": "too old resource version"}))
        return await stream(request, ("ADDED", thing("b", 9)), stay=True)

    notebook = follow(one_thing, watches, "changed b")
    assert notebook.lines == ["changed a", "only a", "changed a", "only a", "changed b"]
    assert not notebook.gaps


def test_a_line_of_two_megabytes_is_read() -> None:
    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        return await stream(request, ("MODIFIED", thing("big", 9, data="x" * 2_000_000)), stay=True)

    assert "changed big" in follow(one_thing, watches, "changed big").lines


def test_too_many_requests_are_waited_for() -> None:
    async def lists(request: web.Request, count: int) -> web.Response:
        return status(429, **{"Retry-After": "1"}) if not count else await one_thing(request, count)

    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        return await stream(request, stay=True)

    notebook = follow(lists, watches, "only a")
    [gap] = notebook.gaps
    assert gap.cause == "told to answer 429"
    assert gap.until_us - gap.at_us >= 1_000_000


def test_a_silent_connection_is_a_gap_since_it_was_last_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpaaudit.cluster.client.client.QUIET_SECONDS", 1.2)
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.01)

    async def watches(request: web.Request, count: int) -> web.StreamResponse:
        events = [("ADDED", thing("b", 9))] if count else []
        return await stream(request, *events, stay=True)

    [gap] = follow(one_thing, watches, "changed b").gaps
    assert gap.until_us - gap.at_us >= 1_200_000


def test_an_object_that_cannot_be_read_is_a_gap_of_its_own_until_it_can_be() -> None:
    """Nothing is listed anew for it, and what comes after it is seen at once."""

    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for raw in (thing("b", 6, bad=True), thing("c", 7)):
            await response.write(json.dumps({"type": "MODIFIED", "object": raw}).encode() + b"\n")
        await asyncio.sleep(1.1)
        await response.write(json.dumps({"type": "MODIFIED", "object": thing("b", 8)}).encode() + b"\n")
        await asyncio.sleep(60)
        return response

    notebook = follow(one_thing, watches, "changed b")
    assert [(gap.prefix, gap.cause) for gap in notebook.gaps] == [
        ("/namespaces/shop/things/b", "the object cannot be read: bad")
    ]
    assert notebook.lines == ["changed a", "only a", "changed c", "changed b"]


def test_an_event_of_nobody_is_listed_for_and_nobody_is_called_gone_meanwhile() -> None:
    async def watches(request: web.Request, count: int) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"type":"MODIFIED","object":{"metadata":{"name":5}}}\n' if not count else b"")
        await asyncio.sleep(60)
        return response

    async def lists(_: web.Request, count: int) -> web.Response:
        nameless = {"metadata": {"namespace": "shop", "resourceVersion": "4"}}
        return listed(5, thing("a", 5), *([] if not count else [nameless, thing("last", 9)]))

    notebook = follow(lists, watches, "changed last")
    assert notebook.lines == ["changed a", "only a", "changed a", "changed last"]


def test_a_server_that_went_back_in_time_is_listed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restored from a backup it would refuse our version for ever."""

    async def lists(_: web.Request, count: int) -> web.Response:
        return listed(900 if not count else 7, thing("a", 1))

    async def watches(request: web.Request, _: int) -> web.StreamResponse:
        if request.query["resourceVersion"] == "900":
            return status(504)
        return await stream(request, ("ADDED", thing("b", 8)), stay=True)

    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.01)
    monkeypatch.setattr(backoff, "LONGEST_DELAY", 0.01)
    notebook = follow(lists, watches, "changed b")
    assert notebook.lines.count("only a") == 2
