"""An API server that plays a crowded cluster, as a process of its own: `python -m tests.bench.crowd_server 5000`.

It prints its address, and lives until its stdin is closed. Half of the HPAs publish another status in every 15 s, pods
are replaced, a Lease is renewed, and metrics-server scrapes every namespace every 15 s.
"""

import asyncio
import contextlib
import json
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from hpaaudit.cluster.watch.watch_list import END
from tests.bench.crowd import Crowd

TICK = 0.2
BOOKMARK_SECONDS = 50
HISTORY = 20_000
REPLACED_A_SECOND, SCALED_A_SECOND = 5, 2
GROUPS = {"apps": "v1", "autoscaling": "v2", "metrics.k8s.io": "v1beta1", "external.metrics.k8s.io": "v1beta1"}
LEASE = {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
         "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"},
         "spec": {"holderIdentity": "node-1_a", "leaseTransitions": 1}}  # fmt: skip


@dataclass(slots=True)
class Collection:
    """What can be listed and watched: `item` makes the JSON of one place."""

    kind: str
    version: str
    size: int
    item: Callable[[int], str]
    history: "deque[tuple[int, bytes]]" = field(default_factory=lambda: deque(maxlen=HISTORY))
    watches: "set[asyncio.Queue[bytes]]" = field(default_factory=set)

    def tell(self, version: int, kind: str, raw: str) -> None:
        """An event, to everybody who watches."""
        line = f'{{"type":"{kind}","object":{raw}}}\n'.encode()
        self.history.append((version, line))
        for queue in self.watches:
            queue.put_nowait(line)

    def page(self, query: Any, version: int) -> bytes:
        """A page of all that is there; all say the version of the first, so that a watch tells what came since."""
        begun, _, offset = str(query.get("continue") or f"{version}/0").partition("/")
        first, limit = int(offset), int(query.get("limit") or self.size)
        last = min(first + limit, self.size)
        items = ",".join(self.item(one) for one in range(first, last))
        meta = json.dumps({"resourceVersion": begun, "continue": f"{begun}/{last}" if last < self.size else ""})
        head = f'{{"kind":"{self.kind}List","apiVersion":"{self.version}","metadata":{meta}'
        return f'{head},"items":[{items}]}}'.encode()

    def initial(self, version: int) -> Iterator[bytes]:
        """All that is there as events, and the bookmark that ends them."""
        for index in range(self.size):
            yield f'{{"type":"ADDED","object":{self.item(index)}}}\n'.encode()
        meta = {"resourceVersion": str(version), "annotations": {END: "true"}}
        yield json.dumps({"type": "BOOKMARK", "object": {"kind": self.kind, "metadata": meta}}).encode() + b"\n"


class Server:
    """The server of one crowd."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd, self.chance = crowd, random.Random(crowd.seed)  # noqa: S311
        self.pods = Collection("Pod", "v1", crowd.pods, crowd.pod)
        self.hpas = Collection(
            "HorizontalPodAutoscaler", "autoscaling/v2", crowd.hpas, lambda index: crowd.hpa(index, 0)
        )
        self.deployments = Collection("Deployment", "apps/v1", crowd.hpas, crowd.deployment)
        self.leases = Collection("Lease", "coordination.k8s.io/v1", 1, lambda _: self.lease())
        self.nothing = Collection("Event", "v1", 0, lambda _: "")
        self.turn, self.replaced = 0, self.replacements()
        self.requests = 0

    def lease(self) -> str:
        """The Lease, just renewed."""
        meta = {**LEASE["metadata"], "resourceVersion": str(self.crowd.version)}  # type: ignore[dict-item]
        return json.dumps({**LEASE, "metadata": meta})

    # What happens

    async def live(self) -> None:
        """The life of the cluster, tick by tick."""
        loop = asyncio.get_running_loop()
        due, owed, ticks = loop.time(), 0.0, 0
        while True:
            await asyncio.sleep(max(0, due - loop.time()))
            due, ticks = due + TICK, ticks + 1
            owed += self.crowd.hpas / 2 / 15 * TICK
            while owed >= 1:
                owed -= 1
                self.publish()
            for _ in range(max(1, round(REPLACED_A_SECOND * TICK))):
                next(self.replaced)
            if self.chance.random() < SCALED_A_SECOND * TICK:
                index = self.chance.randrange(self.crowd.hpas)
                self.deployments.tell(self.crowd.next_version(), "MODIFIED", self.crowd.deployment(index))
            if ticks % round(2 / TICK) == 0:
                self.leases.tell(self.crowd.next_version(), "MODIFIED", self.lease())
            if ticks % round(BOOKMARK_SECONDS / TICK) == 0:
                self.bookmark()

    def publish(self) -> None:
        """One HPA says another utilization."""
        index, turns = self.turn * 7919 % self.crowd.hpas, self.turn // self.crowd.hpas + 1
        self.turn += 1
        self.hpas.tell(self.crowd.next_version(), "MODIFIED", self.crowd.hpa(index, turns))

    def replacements(self) -> Iterator[None]:
        """Pods that go, and those that come for them."""
        crowd = self.crowd
        while True:
            index = self.chance.randrange(crowd.pods)
            old = crowd.lives.get(index, 0)
            self.pods.tell(crowd.next_version(), "MODIFIED", crowd.pod(index, old, deleted=True))
            crowd.lives[index] = old + 1
            self.pods.tell(crowd.next_version(), "ADDED", crowd.pod(index, phase="Pending", ready=False))
            self.pods.tell(crowd.next_version(), "MODIFIED", crowd.pod(index, ready=False))
            self.pods.tell(crowd.next_version(), "MODIFIED", crowd.pod(index))
            self.pods.tell(crowd.next_version(), "DELETED", crowd.pod(index, old, deleted=True))
            yield

    def bookmark(self) -> None:
        """How far every watch is."""
        for one in (self.pods, self.hpas, self.deployments, self.leases):
            raw = {"kind": one.kind, "metadata": {"resourceVersion": str(self.crowd.next_version())}}
            one.tell(self.crowd.version, "BOOKMARK", json.dumps(raw))

    # What is asked

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Any GET."""
        self.requests += 1
        parts = request.path.strip("/").split("/")
        match parts:
            case ["version"]:
                return web.json_response({"gitVersion": "v1.36.3"})
            case ["apis"]:
                groups = [{"name": name, "preferredVersion": {"version": version}, "versions": [{"version": version}]}
                          for name, version in GROUPS.items()]  # fmt: skip
                return web.json_response({"groups": groups})
            case ["apis", "autoscaling"]:
                return web.json_response({"versions": [{"version": "v2"}]})
            case ["api", "v1"] | ["apis", _, _]:
                return web.json_response({"kind": "APIResourceList", "resources": []})
            case ["apis", "metrics.k8s.io", _, "namespaces", namespace, "pods"]:
                return self.say(self.crowd.usage(int(namespace.removeprefix("team-"))).encode())
            case ["api", "v1", "namespaces", "kube-system", "pods"]:
                return await self.collection(self.nothing, request)
        names = {"pods": self.pods, "horizontalpodautoscalers": self.hpas, "deployments": self.deployments,
                 "leases": self.leases}  # fmt: skip
        return await self.collection(names.get(parts[-1], self.nothing), request)

    @staticmethod
    def say(body: bytes) -> web.Response:
        """JSON that is made already."""
        return web.Response(body=body, content_type="application/json")

    async def collection(self, one: Collection, request: web.Request) -> web.StreamResponse:
        """A page, or a watch from a version on, or one that begins with all that is there."""
        if "watch" not in request.query:
            return self.say(one.page(request.query, self.crowd.version))
        response = web.StreamResponse()
        await response.prepare(request)
        queue = asyncio.Queue[bytes]()
        initial = "sendInitialEvents" in request.query
        since = self.crowd.version if initial else int(request.query["resourceVersion"])
        for version, line in one.history:
            if version > since:
                queue.put_nowait(line)
        one.watches.add(queue)
        try:
            if initial:
                for line in one.initial(since):
                    await response.write(line)
            async with asyncio.timeout(int(request.query["timeoutSeconds"])):
                while True:
                    await response.write(await queue.get())
        except (TimeoutError, ConnectionError):
            pass
        finally:
            one.watches.discard(queue)
        return response


async def serve(hpas: int) -> None:
    """Print where it listens, and serve until stdin ends."""
    server = Server(Crowd(hpas))
    application = web.Application()
    application.router.add_get("/{path:.*}", server.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    living = asyncio.create_task(server.live())
    sys.stdout.write(f"http://127.0.0.1:{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    living.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await living
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
