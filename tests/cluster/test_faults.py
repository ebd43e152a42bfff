"""The 14 faults of a watch (reference/ecosystem.md §1), each by a server over TLS that counts what it is asked.

Every fault is played twice. For ever: the watch neither ends nor runs hot. And for a while: then the watch knows
what happened meanwhile, a deletion too.
"""

import asyncio
import json
import signal
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from aiohttp import web

from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.watch import backoff
from hpaaudit.model.units import SECOND
from tests.cluster.faulty import Fault, Play, World, event, of_watches, stream, thing
from tests.cluster.recorder import Recorder
from tests.cluster.unruly import Unruly

PLAYED_SECONDS = 1.5
RETRY_SECONDS = 1
MOST = 14
"""So many requests fit into so short a time with a backoff from 0.1 s, with a list for every watch."""


def gone(message: str = "too old resource version") -> dict[str, Any]:
    """The Status of a 410."""
    return {"kind": "Status", "status": "Failure", "reason": "Expired", "code": 410, "message": message}


@of_watches
async def an_error_event_says_410(_: World, request: web.Request) -> web.StreamResponse:
    """After an event, so that the watch seems to go on."""
    return await stream(request, event("MODIFIED", thing("a", 6)), event("ERROR", gone()))


@of_watches
async def a_watch_is_answered_by_410(_: World, request: web.Request) -> web.StreamResponse:
    """With a Status."""
    return web.json_response(gone(request.query["resourceVersion"]), status=410)


@of_watches
async def a_watch_is_answered_by_410_without_a_body(_: World, request: web.Request) -> web.StreamResponse:
    """As some proxies make it."""
    return web.Response(status=410, headers={"X-Asked": request.path})


@of_watches
async def the_server_ends_every_watch_at_once(_: World, request: web.Request) -> web.StreamResponse:
    """Without a word."""
    return await stream(request)


@of_watches
async def an_error_event_says_500(_: World, request: web.Request) -> web.StreamResponse:
    """After a bookmark, so that the version moves."""
    bookmark = event("BOOKMARK", {"metadata": {"resourceVersion": "5"}})
    return await stream(request, bookmark, event("ERROR", {"kind": "Status", "code": 500, "message": "etcd is away"}))


@of_watches
async def an_event_is_cut_in_half(_: World, request: web.Request) -> web.StreamResponse:
    """The stream ends as if all were well."""
    return await stream(request, event("DELETED", thing("b", 8))[:40])


@of_watches
async def the_connection_is_torn(_: World, request: web.Request) -> web.StreamResponse:
    """In the middle of an event."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(event("DELETED", thing("b", 8))[:40])
    if request.transport:
        request.transport.abort()
    return response


@of_watches
async def the_connection_is_silent(_: World, request: web.Request) -> web.StreamResponse:
    """It stands, and what happens is not told."""
    return await stream(request, stay=True)


async def the_next_page_is_expired(world: World, request: web.Request) -> web.StreamResponse:
    """Every list stops in the middle; what was read of it is no list."""
    if "continue" in request.query:
        return web.json_response(gone("The provided continue parameter is too old"), status=410)
    if "watch" in request.query:
        return await world.behave(request)
    meta = {"resourceVersion": "5", "continue": "more"}
    return web.json_response({"kind": "ThingList", "apiVersion": "v1", "metadata": meta, "items": [thing("a", 1)]})


async def too_many_requests(_: World, request: web.Request) -> web.StreamResponse:
    """And the server says when to come again."""
    body, headers = {"code": 429, "message": request.path}, {"Retry-After": str(RETRY_SECONDS)}
    return web.json_response(body, status=429, headers=headers)


@of_watches
async def nothing_but_bookmarks_comes(_: World, request: web.Request) -> web.StreamResponse:
    """And then the end, sooner than due; no bookmark is an object."""
    return await stream(request, *(event("BOOKMARK", {"metadata": {"resourceVersion": "5"}}) for _ in range(3)))


FAULTS: list[tuple[Fault, str]] = [
    (an_error_event_says_410, "too old resource version"),
    (a_watch_is_answered_by_410, "5"),
    (a_watch_is_answered_by_410_without_a_body, "status 410"),
    (the_server_ends_every_watch_at_once, "the server ended a watch at once"),
    (an_error_event_says_500, "etcd is away"),
    (an_event_is_cut_in_half, "the server ended a watch at once"),
    (the_connection_is_torn, "Response payload is not completed"),
    (the_connection_is_silent, "Timeout on reading data from socket"),
    (the_next_page_is_expired, "The provided continue parameter is too old"),
    (too_many_requests, "/things"),
    (nothing_but_bookmarks_comes, "the server ended a watch at once"),
]
"""Eleven with the cause that a gap tells. The other three: an event of 1.2 MB, clock steps, a server restart."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's times, an eighth of them."""
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.1)
    monkeypatch.setattr("hpaaudit.cluster.client.client.QUIET_SECONDS", 0.3)


@pytest.mark.parametrize(("fault", "cause"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_fault_that_stays_is_told_as_a_gap_and_asked_again_ever_more_rarely(
    fault: Fault, cause: str, pki: Path
) -> None:
    async def play() -> World:
        world = World(fault)
        async with Play(world, pki) as stage:
            await asyncio.sleep(PLAYED_SECONDS)
            stage.gaps.write_open(stage.clock.now())
            causes = [cause for _, cause in stage.gaps.open.values()] + [gap.cause for gap in world.gaps]
            # A watch that stands for a moment closes its gap: then only the waiting shows.
            assert not causes or set(causes) == {cause} or causes[0].startswith(cause), causes
            assert causes or stage.watch.backoff.delay > backoff.FIRST_DELAY
        return world

    counts = asyncio.run(play()).counts
    # Who says when to come again is not asked before.
    most = 1 + PLAYED_SECONDS / RETRY_SECONDS if fault is too_many_requests else MOST
    assert 2 <= counts.total() <= most, counts


@pytest.mark.parametrize("fault", [fault for fault, _ in FAULTS], ids=lambda fault: fault.__name__)
def test_what_happened_during_a_fault_is_known_after_it(fault: Fault, pki: Path) -> None:
    async def play() -> None:
        world = World(fault)
        async with Play(world, pki) as stage:
            await asyncio.sleep(0.5)
            world.change()
            await asyncio.sleep(0.2)
            world.fault = None
            await stage.knows("a", "c")

    asyncio.run(play())


def test_a_watch_that_was_well_for_a_while_is_soon_taken_up_again(pki: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As through a proxy that cuts every connection after its time."""
    monkeypatch.setattr(backoff, "HEALTHY_SECONDS", 0.1)

    @of_watches
    async def cut(_: World, request: web.Request) -> web.StreamResponse:
        response = await stream(request)
        await asyncio.sleep(0.2)
        if request.transport:
            request.transport.abort()
        return response

    async def play() -> None:
        world = World(cut)
        async with Play(world, pki) as stage:
            while world.counts["watch"] < 4:
                await stage.server.watched.wait()
                stage.server.watched.clear()
            assert stage.watch.backoff.delay == 2 * backoff.FIRST_DELAY
            assert world.counts["list"] == 1

    asyncio.run(play())


def test_an_event_of_more_than_a_megabyte_is_one_event(pki: Path) -> None:
    @of_watches
    async def big(_: World, request: web.Request) -> web.StreamResponse:
        return await stream(request, event("ADDED", thing("big", 9, data="x" * 1_200_000)), stay=True)

    async def play() -> World:
        world = World(big)
        async with Play(world, pki) as stage:
            await stage.knows("a", "b", "big")
        return world

    world = asyncio.run(play())
    assert world.counts == {"list": 1, "watch": 1}
    assert not world.gaps


@pytest.mark.parametrize("step_seconds", [-3600, 3600])
def test_a_clock_that_is_set_neither_stops_a_watch_nor_turns_its_time_back(
    step_seconds: int, pki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The silence is measured by a clock that nobody sets: the watch breaks neither sooner nor later."""
    monkeypatch.setattr("hpaaudit.cluster.client.client.QUIET_SECONDS", 30)
    step = asyncio.Event()

    @of_watches
    async def ticking(_: World, request: web.Request) -> web.StreamResponse:
        response = await stream(request, event("ADDED", thing("before", 6)))
        await step.wait()
        for n in range(7, 10):
            await asyncio.sleep(0.1)
            await response.write(event("ADDED", thing(f"after-{n}", n)))
        await asyncio.sleep(60)
        return response

    async def play() -> World:
        world = World(ticking)
        async with Play(
            world, pki, Clock(wall_ns=lambda: time.time_ns() + step.is_set() * step_seconds * 10**9)
        ) as stage:
            await stage.knows("a", "b", "before")
            step.set()
            await stage.knows("a", "b", "before", "after-7", "after-8", "after-9")
        return world

    world = asyncio.run(play())
    assert world.counts == {"list": 1, "watch": 1}
    times_us = world.told_us[-4:]
    steps = [after - before for before, after in pairwise(times_us)]
    assert all(one > 0.05 * SECOND for one in steps), steps
    assert all(one < 5 * SECOND for one in steps[1:]), steps
    assert (steps[0] > 3599 * SECOND) == (step_seconds > 0)


def test_a_server_that_restarts_is_found_again_at_the_version_that_was_known(
    pki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpaaudit.cluster.client.client.QUIET_SECONDS", 30)

    async def play() -> World:
        world = World(too_many_requests)
        world.fault = None
        async with Play(world, pki) as stage:
            await stage.knows("a", "b")
            await stage.server.down()
            await asyncio.sleep(1.5)
            world.change()
            await stage.server.up()
            await stage.knows("a", "c")
        return world

    world = asyncio.run(play())
    assert world.counts == {"list": 1, "watch": 2}
    [gap] = world.gaps
    assert gap.until_us - gap.at_us >= 1.4 * SECOND


def test_a_recorder_that_was_stopped_writes_down_that_it_saw_nothing(pki: Path, tmp_path: Path) -> None:
    """As a machine that slept."""
    config = {
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"certificate-authority": str(pki / "ca.crt")}}],
        "contexts": [{"name": "here", "context": {"cluster": "here"}}],
    }

    async def play() -> None:
        async with Unruly(pki) as server:
            config["clusters"][0]["cluster"]["server"] = server.url
            (tmp_path / "config").write_text(json.dumps(config))
            recorder = Recorder(tmp_path / "recording", tmp_path / "config")
            async with asyncio.timeout(20):
                await server.watched.wait()
            await asyncio.sleep(1.5)
            recorder.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(7)
            recorder.process.send_signal(signal.SIGCONT)
            await asyncio.sleep(1.5)
            code, output = await asyncio.to_thread(recorder.end)
            assert code == 0, output

    asyncio.run(play())
    [file] = (tmp_path / "recording").rglob("*gaps*.parquet")
    [gap] = [row for row in pq.read_table(file).to_pylist() if row["prefix"] == "*"]
    assert "the clock jumped by" in gap["cause"]
