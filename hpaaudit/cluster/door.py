"""Opens a door for those who watch over a recorder: `/healthz`, `/readyz`, `/metrics`."""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from aiohttp import web

from hpaaudit.api import requests
from hpaaudit.cluster.meters import Meters, kind_of
from hpaaudit.cluster.observer import Observer
from hpaaudit.cluster.watch import Watch
from hpaaudit.errors import BadOption
from hpaaudit.model.plan import Kept
from hpaaudit.model.units import Micros

METRICS = (requests.RESOURCE_METRICS, requests.CUSTOM_METRICS, requests.EXTERNAL_METRICS)
STALE_INTERVALS = 3
"""A recorder that got no answer from a metrics API for so many intervals is not ready."""
Address = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One condition of being ready; `said` is why, or why not."""

    name: str
    holds: bool
    said: str


class Door:
    """An HTTP server beside the recorder, on its event loop; None as address: none.

    `begin` says what it tells of; until then the recorder is not ready. Use as an async context manager; BadOption
    where the address cannot be had.
    """

    def __init__(self, address: Address | None, meters: Meters) -> None:
        self.address, self.meters = address, meters
        self.observer: Observer | None = None
        self.kept: Callable[[], Kept] = Kept
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        if self.address is None:
            return self
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, *self.address, shutdown_timeout=1).start()
        except OSError as problem:
            await self._runner.cleanup()
            host, port = self.address
            why = problem.strerror or str(problem)
            raise BadOption(f"cannot listen on {host}:{port}: {why}; name another address by --listen") from None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        """Where it is open, with the port that the system chose; empty where it is not."""
        addresses = self._runner.addresses if self._runner else []
        if not addresses:
            return ""
        host, port, *_ = addresses[0]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def begin(self, observer: Observer, kept: Callable[[], Kept]) -> None:
        """From now on there is something to tell."""
        self.observer, self.kept = observer, kept

    async def _healthz(self, _: web.Request) -> web.Response:
        """Whether the event loop turns: then this is answered at all."""
        return web.Response(text="ok\n")

    async def _readyz(self, _: web.Request) -> web.Response:
        checks = readiness(self.observer, self.meters)
        lines = [f"[{'+' if check.holds else '-'}]{check.name} {check.said}\n" for check in checks]
        return web.Response(text="".join(lines), status=200 if all(check.holds for check in checks) else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        from hpaaudit.cluster.exposition import CONTENT_TYPE, exposition

        body = exposition(self.meters, self.observer, self.kept())
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})


def readiness(observer: Observer | None, meters: Meters) -> list[Check]:
    """What must hold for a recorder to be ready: it has seen all that it may watch, and metrics answer.

    A stream that is forbidden is waited for no longer: it is a gap, and the rest is recorded all the same.
    """
    if observer is None:
        return [Check(name="started", holds=False, said="waits for the API server, or for the disk")]
    checks = [_followed(watch, observer) for watch in observer.watches]
    checks.append(Check(name="watches", holds=observer.settled.is_set(), said="all that is known is followed"))
    checks.append(_polled(observer, meters, observer.client.clock.now()))
    return checks


def _followed(watch: Watch, observer: Observer) -> Check:
    """Whether a stream was seen once; what broke since then is taken up again, and no reason to wait."""
    away = watch.prefix in observer.gaps.open
    if watch.forbidden:
        holds, said = True, "is refused (403), and a gap"
    elif not watch.started.done() or (watch.started.result() and away):
        holds, said = False, "was not listed yet"
    else:
        holds, said = True, "is taken up again" if away else "is followed"
    return Check(name=_name(watch), holds=holds, said=said)


def _name(watch: Watch) -> str:
    """The resource, and which of its objects: `events(involvedObject.kind=Deployment)`."""
    fields = watch.query.get("fieldSelector")
    return f"{watch.resource}({fields})" if fields else watch.resource


def _polled(observer: Observer, meters: Meters, now: Micros) -> Check:
    """Whether some metrics API answered lately, well or not; without HPAs there is nothing to ask for."""
    wanted = {kind_of(path.partition("?")[0])[0] for path in observer.polls.tasks}
    metrics = {resource for resource in wanted if resource.endswith(METRICS)}
    if not metrics:
        return Check(name="metrics", holds=True, said="are not needed by any HPA")
    last = max((meters.answered_us.get(resource, 0) for resource in metrics), default=0)
    holds = now - last <= STALE_INTERVALS * observer.scope.interval_us
    return Check(name="metrics", holds=holds, said="were asked for in time" if holds else "are not answered")
