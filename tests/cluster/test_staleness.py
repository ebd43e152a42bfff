"""A watch that is open and delivers nothing is stale: a gap from when it was last known to be current."""

import asyncio
import itertools
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.serve.readiness import readiness
from hpaaudit.cluster.watch import backoff, pager, staleness
from hpaaudit.cluster.watch import reflector as module
from hpaaudit.cluster.watch.reflector import Reflector
from hpaaudit.model.units import SECOND, Micros
from tests.cluster.faulty import Fault, Play, World, event, of_watches, stream, thing

pytestmark = pytest.mark.alone
"""Times are tenths of seconds here: beside nothing that slows them."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's times, a hundredth of them."""
    monkeypatch.setattr(module, "WATCH_SECONDS", (1, 1))
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.05)
    times = (("OVERDUE_SECONDS", 0.2), ("LATE_SECONDS", 0.6), ("SHORT_SECONDS", 0.5))
    for name, seconds in times:
        monkeypatch.setattr(module, name, seconds)
    for name, seconds in (("LEAD", 0.5), ("GRACE", 0.1), ("RECHECK", 0.1)):
        monkeypatch.setattr(staleness, f"{name}_SECONDS", seconds)
    monkeypatch.setattr("hpaaudit.cluster.serve.readiness.UNSEEN_SECONDS", 0)


async def until_it_is_due(response: web.StreamResponse, piece: bytes = b"", seconds: float = 0.9) -> web.StreamResponse:
    """Says a piece every 50 ms, if any, and ends."""
    for _ in range(round(seconds / 0.05)):
        await asyncio.sleep(0.05)
        if piece:
            await response.write(piece)
    return response


@of_watches
async def blanks_come_for_ever(_: World, request: web.Request) -> web.StreamResponse:
    """Bytes, but no line."""
    return await until_it_is_due(await stream(request), b" ", 60)


@of_watches
async def half_an_event_comes_for_ever(_: World, request: web.Request) -> web.StreamResponse:
    """Text within a line that never ends."""
    return await until_it_is_due(await stream(request, b'{"type":"ADDED","object":"'), b"x", 60)


@of_watches
async def the_same_bookmark_comes_again_and_again(_: World, request: web.Request) -> web.StreamResponse:
    """As of a server whose cache stands still."""
    return await until_it_is_due(await stream(request), event("BOOKMARK", {"metadata": {"resourceVersion": "5"}}), 60)


@of_watches
async def it_ends_in_due_time_and_tells_nothing(_: World, request: web.Request) -> web.StreamResponse:
    """As if nothing had happened."""
    return await until_it_is_due(await stream(request))


@of_watches
async def an_old_event_comes_again_and_again(_: World, request: web.Request) -> web.StreamResponse:
    """Of a version that is long known."""
    return await until_it_is_due(await stream(request), event("MODIFIED", thing("a", 1)), 60)


BLIND: list[Fault] = [
    blanks_come_for_ever,
    half_an_event_comes_for_ever,
    the_same_bookmark_comes_again_and_again,
    it_ends_in_due_time_and_tells_nothing,
    an_old_event_comes_again_and_again,
]


@pytest.mark.parametrize("fault", BLIND, ids=lambda fault: fault.__name__)
def test_what_a_watch_hides_is_a_gap_from_before_it_happened_and_known_after_it(fault: Fault, pki: Path) -> None:
    """The world changes a moment after the watch stands; nobody says so."""

    async def play() -> tuple[World, int]:
        world = World(fault)
        async with Play(world, pki) as stage:
            await stage.was_asked("watch", 1)
            await stage.knows("a", "b")
            changed = stage.clock.now()
            world.change()
            await stage.knows("a", "c")
            await asyncio.sleep(0.3)
            stage.gaps.write_open(stage.clock.now())
            gap_spans = [(gap.at_us, gap.until_us) for gap in world.gaps]
            assert gap_spans, "nobody says that the stream was behind"
            assert min(begun for begun, _ in gap_spans) <= changed
            return world, changed

    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr("hpaaudit.cluster.watch.gaps.MIN_GAP_US", 0)
        asyncio.run(play())


def test_a_quiet_watch_that_is_current_is_neither_a_gap_nor_listed_anew(pki: Path) -> None:
    """Nothing changes, and there are no bookmarks: the lists only compare."""

    async def play() -> World:
        world = World(it_ends_in_due_time_and_tells_nothing)
        async with Play(world, pki) as stage:
            await stage.was_asked("watch", 3)
            assert not stage.lost
        return world

    world = asyncio.run(play())
    assert not world.gaps
    assert world.wholes == 1


@of_watches
async def nothing_comes_any_more(_: World, request: web.Request) -> web.StreamResponse:
    """Not even an end."""
    response = await stream(request, event("ADDED", thing("c", 6)))
    await asyncio.sleep(60)
    return response


@pytest.mark.parametrize("late", [True, False])
def test_a_watch_that_is_silent_for_too_long_when_the_recorder_ends_is_a_gap_from_when_it_was_current(
    late: bool, pki: Path
) -> None:
    async def play() -> None:
        world = World(nothing_comes_any_more)
        async with Play(world, pki) as stage:
            await stage.knows("a", "b", "c")
            current_us = max(stage.watch.progress.heard_us, stage.watch.progress.current_us)
            stage.watch.stop(Micros(round(current_us + stage.watch.late_us) + late))
            assert {begun_us for begun_us, _ in stage.gaps.open.values()} == ({current_us} if late else set())

    asyncio.run(play())


def test_a_server_that_takes_no_notice_of_the_end_but_speaks_is_no_gap(pki: Path) -> None:
    versions = itertools.count(6)

    @of_watches
    async def speaks(world: World, request: web.Request) -> web.StreamResponse:
        response = await stream(request)
        for world.version in versions:
            world.things["a"] = world.version
            await response.write(event("MODIFIED", thing("a", world.version)))
            await asyncio.sleep(0.05)
        return response

    async def play() -> World:
        world = World(speaks)
        async with Play(world, pki) as stage:
            await stage.was_asked("watch", 3)
            assert not stage.lost
        return world

    world = asyncio.run(play())
    assert not world.gaps
    assert world.wholes == 1


@pytest.mark.parametrize("kind", ["PATCHED", "", "added", "\x1b[2J"])
def test_an_event_of_an_unknown_type_is_no_change_and_all_is_listed_anew(kind: str, pki: Path) -> None:
    @of_watches
    async def odd(_: World, request: web.Request) -> web.StreamResponse:
        return await stream(request, event(kind, thing("ghost", 9)), stay=True)

    async def play() -> World:
        world = World(odd)
        async with Play(world, pki) as stage:
            await stage.was_asked("list", 2)
            assert "ghost" not in world.known_names
            [(_, cause)] = stage.gaps.open.values() or [(0, world.gaps[0].cause)]
            assert "of the unknown type" in cause
        return world

    asyncio.run(play())


@pytest.mark.parametrize("version", [None, "", 5, [], {}])
def test_an_event_without_a_version_breaks_its_watch_and_no_more(version: Any, pki: Path) -> None:
    """The version of an object is where a watch goes on."""

    @of_watches
    async def odd(world: World, request: web.Request) -> web.StreamResponse:
        raw = {"metadata": {"namespace": "shop", "name": "a", "resourceVersion": version}}
        world.fault = None
        return await stream(request, event("MODIFIED", raw), stay=True)

    async def play() -> None:
        world = World(odd)
        async with Play(world, pki) as stage:
            await stage.was_asked("list", 2)
            await stage.knows("a", "b")
            await stage.until(lambda: not stage.gaps.open)

    asyncio.run(play())


# Lists without end


def page(items: list[dict[str, Any]], following: str = "") -> web.Response:
    """One page."""
    meta = {"resourceVersion": "5", "continue": following}
    return web.json_response({"kind": "ThingList", "apiVersion": "v1", "metadata": meta, "items": items})


def endless(kind: str) -> Fault:
    """A server whose lists lead on for ever."""
    counter = itertools.count()

    async def lists(world: World, request: web.Request) -> web.StreamResponse:
        if "watch" in request.query:
            return await world.behave(request)
        number = next(counter)
        if kind == "the same token":
            return page([thing(f"x-{number}", 1)], "more")
        if kind == "a circle of tokens":
            return page([thing(f"x-{number}", 1)], f"more-{number % 3}")
        if kind == "the same items":
            return page([thing("a", 1), thing("b", 2)], f"more-{number}")
        if kind == "no items":
            return page([], f"more-{number}")
        return page([thing(f"x-{number}", 1)], f"more-{number}")

    return lists


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("the same token", "the list leads back to an earlier page"),
        ("a circle of tokens", "the list leads back to an earlier page"),
        ("the same items", "the list begins again with what it told before"),
        ("no items", "the pages of the list are empty"),
        ("ever new items", "the list has no end"),
    ],
)
def test_a_list_without_end_is_a_gap_with_its_cause(
    kind: str, cause: str, pki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "ever new items":  # nothing else ends it
        monkeypatch.setattr(pager, "LONGEST_LIST_SECONDS", 0.3)

    async def play() -> World:
        world = World(endless(kind))
        async with Play(world, pki) as stage:
            await stage.until(lambda: bool(stage.gaps.open))
            [(_, gap_cause)] = stage.gaps.open.values()
            assert gap_cause.startswith(cause), gap_cause
            assert not world.wholes
            world.fault = None
            await stage.knows("a", "b")
            await stage.until(lambda: not stage.gaps.open)
        return world

    asyncio.run(play())


def test_a_list_ends_where_no_memory_is_left_for_more(pki: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpaaudit.cluster.client.memory_budget.Budget.is_measured_full", True)

    async def play() -> None:
        world = World(endless("ever new items"))
        async with Play(world, pki) as stage:
            await stage.until(lambda: bool(stage.gaps.open))
            [(_, cause)] = stage.gaps.open.values()
            assert cause.startswith("no memory is left for more of the list")

    asyncio.run(play())


# A search: whatever pieces a watch is cut into, and however it dawdles, nothing is missed that no gap covers


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_missed_that_no_gap_covers(seed: int, pki: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A watch tells what happens in pieces of any size, some of it late, stale or never; a list always tells."""
    monkeypatch.setattr("hpaaudit.cluster.watch.gaps.MIN_GAP_US", 0)
    chance = random.Random(seed)  # noqa: S311

    @of_watches
    async def dawdling(world: World, request: web.Request) -> web.StreamResponse:
        response = await stream(request)
        text = b"".join(world.since(int(request.query["resourceVersion"])))
        tells = chance.choice(("all", "some", "nothing", "blanks", "bookmark"))
        if tells in ("nothing", "blanks"):
            text = b" " * 50 * (tells == "blanks")
        elif tells == "some":
            text = text[: chance.randrange(len(text) + 1)]
        elif tells == "bookmark":
            text = event("BOOKMARK", {"metadata": {"resourceVersion": request.query["resourceVersion"]}})
        while text:
            size = chance.randrange(1, 200)
            await response.write(text[:size])
            text = text[size:]
            await asyncio.sleep(chance.choice((0, 0, 0.02)))
        await asyncio.sleep(chance.choice((0, 0.5, 0.9, 5)))
        return response

    async def play() -> World:
        world = World(dawdling)
        async with Play(world, pki) as stage:
            await stage.was_asked("watch", 1 + seed % 3)
            await stage.knows("a", "b")
            changed = stage.clock.now()
            world.change()
            await stage.knows("a", "c")
            knew = stage.clock.now()
            await stage.until(lambda: not stage.gaps.open)
            covered = any(gap.at_us <= changed + SECOND // 20 for gap in world.gaps)
            assert knew - changed < 2.5 * SECOND or covered, (knew - changed, world.gaps)
        return world

    asyncio.run(play())


# Readiness


class Settled(asyncio.Event):
    """An observer that has seen all that it may."""


def test_a_stream_that_is_away_is_not_ready(pki: Path) -> None:
    async def play() -> None:
        world = World(blanks_come_for_ever)
        async with Play(world, pki) as stage:
            observer = _Observer(stage.client, stage.watch, stage)
            await stage.knows("a", "b")
            await stage.until(lambda: not stage.gaps.open)
            assert _check(observer).holds
            world.change()
            await stage.until(lambda: bool(stage.gaps.open))
            check = _check(observer)
            assert not check.holds
            assert "has not been seen for" in check.message

    asyncio.run(play())


class _Observer:
    """As much of an observer as readiness asks for."""

    def __init__(self, client: Client, reflector: Reflector, stage: Play) -> None:
        self.client, self.gaps, self.settled = client, stage.gaps, Settled()
        self.watches = SimpleNamespace(reflectors=[reflector])
        self.poller = SimpleNamespace(tasks={})


def _check(observer: Any) -> Any:
    return readiness(observer, observer.client.telemetry)[0]
