"""WatchList, the initial state of a collection in its watch: from a server that misbehaves, and from the real one."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from hpaaudit.cluster.watch import backoff, watch_list
from hpaaudit.cluster.watch.watch_list import can_stream
from hpaaudit.model.facts import ApiServiceSeen, Gap, HpaSeen, LeaseSeen, PodSeen, ResourceMetricsRead, TargetSeen
from tests.cluster import build
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import require_programs
from tests.cluster.faulty import Fault, Play, World, end, event, of_streams, stream, thing
from tests.cluster.manifests import cpu, deployment, hpa
from tests.cluster.observer_thread import ObserverThread

HALF = event("ADDED", thing("a", 1))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's times, a fraction of them."""
    monkeypatch.setattr(backoff, "FIRST_DELAY", 0.05)
    for name, seconds in (("STALLED", 0.3), ("RENEWED", 0), ("LONGEST", 0.6)):
        monkeypatch.setattr(watch_list, f"{name}_SECONDS", seconds)


def refusing(status: int) -> Fault:
    """A server that answers so."""

    async def refuse(_: World, __: web.Request) -> web.StreamResponse:
        return web.json_response({"kind": "Status", "code": status, "message": f"told {status}"}, status=status)

    return refuse


async def it_ends_in_the_middle(_: World, request: web.Request) -> web.StreamResponse:
    """As if all were well."""
    return await stream(request, HALF)


async def it_ends_within_an_event(_: World, request: web.Request) -> web.StreamResponse:
    """As if all were well."""
    return await stream(request, HALF, event("ADDED", thing("b", 2))[:40])


async def the_connection_is_torn(_: World, request: web.Request) -> web.StreamResponse:
    """After an object."""
    response = await stream(request, HALF)
    if request.transport:
        request.transport.abort()
    return response


async def an_error_event_says_500(_: World, request: web.Request) -> web.StreamResponse:
    """After an object."""
    return await stream(request, HALF, event("ERROR", {"kind": "Status", "code": 500, "message": "etcd is away"}))


async def an_error_event_says_410(_: World, request: web.Request) -> web.StreamResponse:
    """After an object."""
    return await stream(request, HALF, event("ERROR", {"kind": "Status", "code": 410, "message": "too old"}))


async def it_falls_silent(_: World, request: web.Request) -> web.StreamResponse:
    """A server that takes no notice of what it is asked for."""
    return await stream(request, HALF, event("BOOKMARK", {"metadata": {"resourceVersion": "5"}}), stay=True)


async def it_goes_on_with_what_changes(_: World, request: web.Request) -> web.StreamResponse:
    """So does this one, and it is never silent."""
    return await goes_on(request, "MODIFIED")


async def it_goes_on_with_what_is_new(_: World, request: web.Request) -> web.StreamResponse:
    """And this one seems to get ahead."""
    return await goes_on(request, "ADDED")


async def goes_on(request: web.Request, kind: str) -> web.StreamResponse:
    """For ever."""
    response = await stream(request, HALF)
    for version in range(6, 200):
        await response.write(event(kind, thing("a", version)))
        await asyncio.sleep(0.05)
    return response


BROKEN: list[tuple[Fault, str, int]] = [
    (it_ends_in_the_middle, "the server ended a watch before the end of the initial events", watch_list.TRIES),
    (it_ends_within_an_event, "the server ended a watch before the end of the initial events", watch_list.TRIES),
    (the_connection_is_torn, "Response payload is not completed", watch_list.TRIES),
    (an_error_event_says_500, "etcd is away", watch_list.TRIES),
    # The first one is forgiven: the past is forgotten now and then.
    (an_error_event_says_410, "too old", watch_list.TRIES + 1),
    (it_falls_silent, "the server did not send the end of the initial events", 1),
    (it_goes_on_with_what_changes, "the server did not send the end of the initial events", 1),
    (it_goes_on_with_what_is_new, "the server did not send the end of the initial events", 1),
]
"""How a stream breaks, which cause a gap tells, and how many are asked for before the pages are."""


@pytest.mark.parametrize(("fault", "cause", "streams"), BROKEN, ids=[fault.__name__ for fault, _, _ in BROKEN])
def test_of_half_a_state_nobody_is_told_that_it_is_all(fault: Fault, cause: str, streams: int, pki: Path) -> None:
    """What is known stays known until all was told; and what never ends is asked for page by page, for good."""

    async def play() -> World:
        world = World(of_streams(fault))
        world.known_names = {"b", "ghost"}
        async with Play(world, pki, streamed=True) as stage:
            await stage.was_asked("list", 1)
            assert world.known_names == {"a", "b", "ghost"}
            assert not world.wholes
            [(_, gap_cause)] = stage.gaps.open.values()
            assert gap_cause.startswith(cause)
            await stage.knows("a", "b")
            assert stage.lost == {}
        return world

    world = asyncio.run(play())
    assert world.counts == {"stream": streams, "list": 1, "watch": 1}
    assert world.wholes == 1


@pytest.mark.parametrize("status", [400, 403, 422])
def test_who_is_refused_the_stream_asks_for_pages_at_once_and_for_good(status: int, pki: Path) -> None:
    expired = asyncio.Event()

    async def refuse(world: World, request: web.Request) -> web.StreamResponse:
        if "sendInitialEvents" in request.query:
            return await refusing(status)(world, request)
        if "watch" in request.query and not expired.is_set():
            expired.set()
            return await refusing(410)(world, request)
        return await world.behave(request)

    async def play() -> World:
        world = World(refuse)
        async with Play(world, pki, streamed=True) as stage:
            assert await stage.watch.started is None
            await stage.was_asked("watch", 2)
            await stage.knows("a", "b")
            assert stage.lost == {}
        return world

    world = asyncio.run(play())
    assert world.counts == {"stream": 1, "list": 2, "watch": 2}
    assert not world.gaps


def test_who_may_neither_watch_nor_list_is_told_so_once(pki: Path) -> None:
    async def play() -> World:
        world = World(refusing(403))
        async with Play(world, pki, streamed=True) as stage:
            refusal = await stage.watch.started
            assert refusal is not None
            assert refusal.status == 403
            assert "limit=" in refusal.path
            assert stage.watch.forbidden
        return world

    counts = asyncio.run(play()).counts
    assert counts == {"stream": 1, "list": 1}


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_in_trouble_is_asked_for_the_stream_again(status: int, pki: Path) -> None:
    """It was no stream that broke."""

    async def play() -> World:
        world = World(of_streams(refusing(status)))
        async with Play(world, pki, streamed=True) as stage:
            await stage.was_asked("stream", watch_list.TRIES + 1)
            assert [cause for _, cause in stage.gaps.open.values()] == [f"told {status}"]
            world.fault = None
            await stage.knows("a", "b")
        return world

    world = asyncio.run(play())
    assert world.counts["list"] == 0


def test_the_watch_goes_on_in_the_same_stream_and_later_from_the_version_of_its_end(pki: Path) -> None:
    """What happens while all is told counts: an ordinary bookmark is no end, and who was deleted is not there."""
    versions = []

    async def tell(_: World, request: web.Request) -> web.StreamResponse:
        if "sendInitialEvents" in request.query:
            assert {"resourceVersion", "limit", "continue"}.isdisjoint(request.query)
            asked = {key: request.query[key] for key in ("watch", "resourceVersionMatch", "allowWatchBookmarks")}
            assert asked == {"watch": "1", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
            bookmark = event("BOOKMARK", {"metadata": {"resourceVersion": "6"}})
            lost = [event("ADDED", thing("lost", 3)), event("DELETED", thing("lost", 7))]
            return await stream(request, HALF, bookmark, *lost, event("MODIFIED", thing("b", 8)), end(70))
        versions.append(request.query["resourceVersion"])
        return await stream(request, event("ADDED", thing("c", 71)), stay=True)

    async def play() -> World:
        world = World(tell)
        world.known_names = {"ghost", "lost"}
        async with Play(world, pki, streamed=True) as stage:
            await stage.knows("a", "b", "c")
            assert stage.client.telemetry.relists.total() == 1
        return world

    world = asyncio.run(play())
    assert world.counts == {"stream": 1, "watch": 1}
    assert (world.wholes, versions) == (1, ["70"])
    assert not world.gaps


def test_a_past_that_was_forgotten_is_streamed_anew(pki: Path) -> None:
    async def forget(world: World, request: web.Request) -> web.StreamResponse:
        if "sendInitialEvents" in request.query and world.counts["stream"] == 1:
            gone = event("ERROR", {"kind": "Status", "code": 410, "message": "too old"})
            answer = stream(request, HALF, event("ADDED", thing("b", 2)), end(5), gone)
            world.change()
            return await answer
        return await world.behave(request)

    async def play() -> World:
        world = World(forget)
        async with Play(world, pki, streamed=True) as stage:
            await stage.knows("a", "c")
        return world

    world = asyncio.run(play())
    assert world.counts == {"stream": 2}
    assert not world.gaps


@pytest.mark.parametrize(
    ("version", "can"),
    [
        *(("v1.32.0", True), ("v1.33.4", False), ("v1.34.1+k3s1", True), ("v1.36.3-eks-3abbec1", True)),
        *(("v1.31.9", False), ("v1.18.20", False), ("v2.0.0", True), ("v1.34+", True), ("", False), ("dev", False)),
    ],
)
def test_only_a_server_whose_version_has_it_is_asked(version: str, can: bool) -> None:
    assert can_stream(version) == can


# The real API server

STREAMED = re.compile(r"^apiserver_watch_list_duration_seconds_count\{(.*)\} (\d+)$", re.MULTILINE)


def streamed(cluster: Cluster) -> Counter[str]:
    """How many initial states the API server has streamed to their end, by resource."""
    _, _, text = cluster.kube.raw("GET", "/metrics")
    counts: Counter[str] = Counter()
    for labels, count in STREAMED.findall(text.decode()):
        counts[dict(re.findall(r'(\w+)="([^"]*)"', labels))["resource"]] += int(count)
    return counts


def asked(cluster: Cluster, namespace: str) -> Counter[tuple[str, bool]]:
    """What was asked for the HPAs of a namespace: the verb, and whether it was for initial events."""
    path = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers?"
    lines: list[dict[str, Any]] = list(map(json.loads, (cluster.dir / "audit/audit.log").read_text().splitlines()))
    requests_by_id = {line["auditID"]: line for line in lines if line["requestURI"].startswith(path)}
    return Counter((line["verb"], "sendInitialEvents=true" in line["requestURI"]) for line in requests_by_id.values())


def test_the_real_api_server_streams_every_collection(
    cluster: Cluster, namespace: str, create: Callable[..., None], observe: Callable[..., ObserverThread]
) -> None:
    create("checkout")
    before = streamed(cluster)
    observed = observe()
    for kind in (HpaSeen, TargetSeen, PodSeen, LeaseSeen, ApiServiceSeen):
        observed.until(kind)
    observed.until(ResourceMetricsRead)
    streamed_bytes = streamed(cluster) - before
    wanted = {"horizontalpodautoscalers", "deployments", "pods", "leases", "apiservices", "events"}
    assert set(streamed_bytes) >= wanted, streamed_bytes
    assert not observed.of(Gap)
    # The list is the question whether HPAs may be read at all.
    assert asked(cluster, namespace) == {("list", False): 1, ("watch", True): 1}


def test_the_real_api_server_without_the_feature_is_asked_page_by_page(tmp_path: Path) -> None:
    require_programs()
    server = Cluster(tmp_path, apiserver_flags={"feature-gates": "WatchList=false"})
    server.programs = build.build(server.release)
    server.prepare()
    try:
        server.start_etcd()
        server.start_apiserver()
        path = "namespaces/default"
        server.kube.post(f"/apis/apps/v1/{path}/deployments", deployment("checkout"))
        server.kube.post(f"/apis/autoscaling/v2/{path}/horizontalpodautoscalers", hpa("checkout", cpu(50)))
        observed = ObserverThread(server.dir / "admin.kubeconfig", "default")
        observed.until(TargetSeen)
        facts = observed.end()
        assert not any(isinstance(fact, Gap) for fact in facts)
        assert asked(server, "default") == {("list", False): 2, ("watch", True): 1, ("watch", False): 1}
        assert not streamed(server)["horizontalpodautoscalers"]
    finally:
        server.down()
