"""Records a cluster: the observer watches it, the writer stores what it sees."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import AuditError, BadOption, RecordingError
from hpaaudit.model.facts import RecorderStarted
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.recorder_plan import Plan, Progress, StorageCounts
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.version import VERSION

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from hpaaudit.cluster.access.config import ClientConfig
    from hpaaudit.cluster.client.client import Connect
    from hpaaudit.cluster.client.clock import Clock
    from hpaaudit.cluster.observe.observer import Observer
    from hpaaudit.cluster.scope import Scope
    from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
    from hpaaudit.recording.recorder.upload import Uploader
    from hpaaudit.recording.recorder.writer_limits import Limits

UPLOAD_SECONDS = 40
"""How long an ended recording waits for its object store: less than the 60 s that our Pod has to end."""
DAY = 24 * 3600 * SECOND
INTERRUPTED = 130
RETRY_SECONDS = 5


def _ignore(_: object) -> None:
    """Does nothing with a report."""


def record(  # noqa: PLR0913 each argument is an option of the command
    into: Path | str,
    *,
    namespace: str | None = None,
    all_namespaces: bool = False,
    selector: str = "",
    context: str | None = None,
    kubeconfig: Path | str | None = None,
    interval_seconds: float = 15,
    qps: float = 20,
    for_seconds: float | None = None,
    listen: tuple[str, int] | None = None,
    upload: str | None = None,
    keep_days: float | None = None,
    keep_bytes: int | None = None,
    keep_labels: Sequence[str] = (),
    no_probe: Sequence[str] = (),
    show: Callable[[Progress], None] = _ignore,
    note: Callable[[str], None] = _ignore,
) -> Progress:
    """Records into a folder until SIGINT, SIGTERM, or for `for_seconds`. Return what was recorded.

    The folder is new, or holds a recording of this cluster. That one continues, with a gap since it stopped.

    namespace     None: that of the context
    selector      of HPAs, by label
    qps           requests per second at most
    listen        host and port for `/healthz`, `/readyz` and `/metrics`
    upload        URL of an object store to which each sealed segment is copied, as `s3://bucket/prefix`
    keep_days     segments that are older are removed, which leaves a gap
    keep_bytes    the oldest segments beyond this size are removed, which leaves a gap
    keep_labels   labels of pods to keep besides those that the selectors of targets name
    no_probe      names of custom and external metrics that are not read, which leaves a gap
    show          called every second with the progress
    note          called with a line for each thing that cannot be seen

    A second signal ends the process at once. Raises ClusterError if nothing can be seen at all, and RecordingError
    if nothing can be stored.
    """
    from hpaaudit.recording.recorder.writer_limits import Limits

    access, scope = _access_and_scope(
        kubeconfig, context, namespace, selector, interval_seconds, all_namespaces=all_namespaces
    )
    scope = replace(scope, keep_labels=tuple(keep_labels), no_probe=tuple(no_probe))
    limits = Limits(keep_us=None if keep_days is None else Micros(round(keep_days * DAY)), keep_bytes=keep_bytes)
    session = Session(Path(into), qps, for_seconds, limits, show, note, listen=listen, upload=upload)
    return asyncio.run(session.run(access, scope))


def plan(  # noqa: PLR0913 each argument is an option of the command
    *,
    namespace: str | None = None,
    all_namespaces: bool = False,
    selector: str = "",
    context: str | None = None,
    kubeconfig: Path | str | None = None,
    interval_seconds: float = 15,
    no_probe: Sequence[str] = (),
) -> Plan:
    """The reads that `record` would make, their volume, and those that are not allowed. Nothing is recorded."""
    from hpaaudit.cluster.client.client import Client
    from hpaaudit.cluster.client.clock import Clock
    from hpaaudit.cluster.observe.planner import make_plan

    access, scope = _access_and_scope(
        kubeconfig, context, namespace, selector, interval_seconds, all_namespaces=all_namespaces
    )
    scope = replace(scope, no_probe=tuple(no_probe))

    async def ask() -> Plan:
        async with Client(access, Clock()) as client:
            return await make_plan(client, scope)

    return asyncio.run(ask())


def _access_and_scope(
    kubeconfig: Path | str | None,
    context: str | None,
    namespace: str | None,
    selector: str,
    interval_seconds: float,
    *,
    all_namespaces: bool,
) -> "tuple[ClientConfig, Scope]":
    from hpaaudit.cluster.access.kubeconfig import load_config
    from hpaaudit.cluster.scope import Scope

    access = load_config(None if kubeconfig is None else Path(kubeconfig), context)
    chosen = "" if all_namespaces else namespace or access.namespace
    return access, Scope(namespace=chosen, selector=selector, interval_us=Micros(round(interval_seconds * SECOND)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a recorder runs on: clock, network, and the executor of background writes. None: the real ones."""

    clock: "Clock | None" = None
    connect: "Connect | None" = None
    executor: "Executor | None" = None


THIS_MACHINE = Machine()


@dataclass(slots=True)
class Session:
    """One run of the recorder."""

    into: Path
    qps: float
    for_seconds: float | None
    limits: "Limits"
    show: Callable[[Progress], None]
    note: Callable[[str], None]
    listen: tuple[str, int] | None = None
    upload: str | None = None
    machine: Machine = THIS_MACHINE
    begun: float = 0

    async def run(self, access: "ClientConfig", scope: "Scope") -> Progress:
        """Observes and writes until it is stopped."""
        from hpaaudit.cluster.client.client import Client
        from hpaaudit.cluster.client.clock import Clock
        from hpaaudit.cluster.observe.observer import Observer
        from hpaaudit.cluster.observe.preflight import check
        from hpaaudit.cluster.serve.http_server import HttpServer

        self.begun, clock = asyncio.get_running_loop().time(), self.machine.clock or Clock()
        stopping, uploader = asyncio.Event(), self._uploader()
        async with (
            Client(access, clock, qps=self.qps, connect=self.machine.connect) as client,
            HttpServer(self.listen, client.telemetry) as server,
        ):
            if server.url:
                self.note(Note(f"listening on {server.url}", Event.LISTENING, Level.INFO, url=server.url))
            await check(client, scope)
            with _Signals(stopping.set), await self._open_writer(access.server, clock.now, stopping) as writer:
                clock.not_before(writer.last_us)
                self.note(_started(self.into, access, scope))
                for warning in access.warnings:
                    self.note(
                        Note(warning, Event.UNTRUSTED, server=access.server, trust=access.trust, auth=access.auth)
                    )
                writer.add(
                    RecorderStarted(
                        at_us=clock.now(),
                        version=VERSION,
                        server=access.server,
                        trust=access.trust,
                        auth=access.auth,
                    )
                )
                observer = Observer(client, scope, writer.add, self.note)
                observer.restore(writer.last_states)
                writer.last_states = ()  # the facts of 50,000 pods take 100 MB
                server.begin(observer, lambda: _storage_counts(writer, uploader))
                try:
                    async with asyncio.TaskGroup() as group:
                        background = [
                            group.create_task(self._tick(observer, writer, clock.now)),
                            group.create_task(self._end(observer, stopping)),
                        ]
                        if uploader:
                            background.append(group.create_task(uploader.run()))
                        await observer.run()
                        for task in background:
                            task.cancel()
                except* AuditError as several:
                    raise _first(several) from None
                # In another thread: a second signal must not wait for a slow disk.
                await asyncio.to_thread(writer.close)
            if uploader:
                await uploader.finish(UPLOAD_SECONDS)
        progress = self._progress(observer, writer)
        self.show(progress)
        return progress

    def _uploader(self) -> "Uploader | None":
        """The uploader to the object store, None without `--upload`. Raises BadOption if obstore is not installed."""
        if self.upload is None:
            return None
        try:
            from hpaaudit.recording.recorder.upload import Uploader
        except ImportError as missing:
            raise BadOption(
                f"--upload needs {missing.name}: pip install '.[cloud]' in a checkout of hpaaudit"
            ) from None
        return Uploader(self.into, self.upload, self.note)

    async def _open_writer(self, server: str, now: Callable[[], Micros], stopping: asyncio.Event) -> "RecorderWriter":
        """Begins or continues a recording. Wait if the disk refuses to continue one: ending would not help."""
        from hpaaudit.recording.recorder.recorder_writer import RecorderWriter

        was_reported = False
        while True:
            try:
                return RecorderWriter(
                    self.into,
                    cluster=server,
                    now_us=now(),
                    note=self.note,
                    limits=self.limits,
                    executor=self.machine.executor,
                )
            except RecordingError as problem:
                exists = (self.into / "recording.json").exists()
                if not isinstance(problem.__cause__, OSError) or not exists or stopping.is_set():
                    raise
                if not was_reported:
                    line = f"{problem} It is tried again until the disk accepts it."
                    self.note(Note(line, Event.DISK_REFUSED, Level.ERROR))
                was_reported = True
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), RETRY_SECONDS)

    async def _end(self, observer: "Observer", stopping: asyncio.Event) -> None:
        """Stops the observer after `for_seconds`, or when `stopping` is set."""
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), self.for_seconds)
        observer.stop()

    async def _tick(self, observer: "Observer", writer: "RecorderWriter", now: Callable[[], Micros]) -> None:
        """Shows the progress every second, and writes what is due."""
        while True:
            await asyncio.sleep(1)
            self.show(self._progress(observer, writer))
            writer.tick(now())

    def _progress(self, observer: "Observer", writer: "RecorderWriter") -> Progress:
        progress = observer.progress
        gaps = progress.gaps + writer.gaps
        return replace(progress, gaps=gaps, bytes=writer.bytes, seconds=asyncio.get_running_loop().time() - self.begun)


def _storage_counts(writer: "RecorderWriter", uploader: "Uploader | None") -> StorageCounts:
    """The amounts of the recording on the disk and in the object store."""
    failures, failing = (uploader.failures, uploader.failing) if uploader else (0, 0)
    return StorageCounts(
        wal_bytes=writer.log_bytes,
        segments=writer.segments,
        unwritten=writer.unwritten,
        upload_failures=failures,
        failing=failing,
    )


def _started(into: Path, access: "ClientConfig", scope: "Scope") -> Note:
    """Says that recording starts."""
    line = f"recording HPAs{scope.words} of {access.server} into {into}"
    fields = {"server": access.server, "namespace": scope.namespace, "into": str(into), "version": VERSION}
    return Note(line, Event.STARTED, Level.INFO, **fields)


class _Signals:
    """Stops the recorder on SIGINT or SIGTERM. A second signal ends the process at once."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self.stop, self.count = stop, 0

    def __enter__(self) -> None:
        # Only the main thread gets signals. Callers in other threads have their own way to stop.
        with suppress(RuntimeError, ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, self._received)

    def __exit__(self, *_: object) -> None:
        with suppress(RuntimeError, ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().remove_signal_handler(number)

    def _received(self) -> None:
        self.count += 1
        if self.count == 1:
            self.stop()
        else:
            os._exit(INTERRUPTED)


def _first(several: BaseExceptionGroup[AuditError]) -> AuditError:
    """The first error of a group, which may contain groups."""
    error = several.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
