"""Follows one collection as client-go's reflector does: lists it, watches it, resumes where the watch broke."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import Any

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.http_answer import FORBIDDEN, GONE, TOO_MANY, Answer, WatchFailed
from hpaaudit.cluster.decoding.decoders import TooLong, event_of
from hpaaudit.cluster.watch.backoff import Backoff
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.gaps import WATCH_PENDING, Gaps
from hpaaudit.cluster.watch.intake import Intake
from hpaaudit.cluster.watch.interruption import (
    ENDED_AT_ONCE,
    FAILURES,
    Interruption,
    Reason,
    Since,
    StaleWatch,
    UnnamedObject,
    interruption_of,
    refusal_of,
    status_of_error,
)
from hpaaudit.cluster.watch.pager import named, pages
from hpaaudit.cluster.watch.staleness import StalenessCheck, end_if_stale, error_of
from hpaaudit.cluster.watch.states import BackingOff, Connecting, Listing, Progress, State, Streaming, Watching
from hpaaudit.cluster.watch.store import Key, Store, resource_version_of
from hpaaudit.cluster.watch.unreadable_objects import UNNAMED, UnreadableObjects
from hpaaudit.cluster.watch.watch_list import (
    PARAMETERS,
    InitialEventsCutShort,
    InitialEventsStalled,
    WatchList,
    is_end,
    stall_timeout,
)
from hpaaudit.model.units import SECOND, Micros

WATCH_SECONDS = 90, 130
"""How long a watch is asked to live, at random within, so that it ends before silence would count as a dead connection.

Events have no bookmarks, so a quiet watch of them is silent for hours. It ends in time and is resumed: no gap.
"""
OVERDUE_SECONDS = 20
"""We end a watch that lives this much longer than the server was asked for."""
LATE_SECONDS = 75
"""The server sends a bookmark about once a minute: a watch that is silent for longer is not known to be current."""
EVENTS_PER_MEMORY_CHECK = 1000
SHORT_SECONDS = 1
"""A watch that the server ends sooner than this did not end because it was due."""
CHANGES = ("ADDED", "MODIFIED")


class Reflector:
    """Keeps the store of one collection up to date; what it does now is its `state`.

    `started` is done when the whole collection was read once, or with the answer that refused it. After that nothing
    ends the reflector but cancelling it: it tries again after every failure, and writes down the gap.

    use_watch_list   ask for the initial state in the stream, where the server supports it
    on_forbidden     is called if watching becomes forbidden later than at the start;  forbidden  it is forbidden now
    unreadable       objects that cannot be read go there, and the watch continues
    late_us          how long the watch may be silent and still count as current: Events have no bookmarks
    """

    def __init__(  # noqa: PLR0913  # three of them are options
        self,
        client: Client,
        collection: Collection,
        store: Store,
        gaps: Gaps,
        *,
        use_watch_list: bool = False,
        on_forbidden: Callable[[Answer], None] = lambda _: None,
        unreadable: UnreadableObjects | None = None,
    ) -> None:
        self.client, self.collection, self.gaps, self.on_forbidden = client, collection, gaps, on_forbidden
        self.store, self.telemetry = store, client.telemetry
        self.unreadable = unreadable or UnreadableObjects(collection.path, gaps, lambda _: None, lambda _: None)
        self.intake = Intake(store, self.unreadable, collection.decoder.kind)
        self.prefix, self.resource = collection.prefix, collection.resource
        self.late_us = (LATE_SECONDS if self.resource != "events" else WATCH_SECONDS[1] + OVERDUE_SECONDS) * SECOND
        self.started: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.state: State = Connecting()
        self.progress, self.backoff = Progress(), Backoff()
        self.watch_list, self.staleness = WatchList(use_watch_list), StalenessCheck(client, collection)
        self.forbidden, self.event_count = False, 0

    async def run(self) -> None:
        """Lists and watches until cancelled."""
        while True:
            if self.progress.heard_us:
                self.gaps.begin(self.prefix, self.client.clock.now(), WATCH_PENDING)
            interruption = await self._list_and_watch()
            if interruption:
                await self._back_off(interruption)

    def stop(self, now_us: Micros) -> None:
        """The recorder ends. If the watch is not known to be current, open a gap from when it last was."""
        current_us = max(self.progress.heard_us, self.progress.current_us)
        if current_us and now_us - current_us > self.late_us:
            cause = "the watch sent nothing, and the recorder ended before it was due"
            self.gaps.begin(self.prefix, current_us, cause)

    # One attempt

    async def _list_and_watch(self) -> Interruption | None:
        """One attempt: a list if one is needed, then a watch. None if the next attempt follows at once."""
        self.state = Connecting()
        try:
            if not self.progress.resource_version and not self.watch_list.enabled:
                await self._list()
            await self._watch()
        except WatchFailed as failed:
            return self._refused(failed.answer)
        except InitialEventsStalled as stalled:
            self.watch_list.enabled = False
            self.gaps.begin(self.prefix, self.progress.heard_us, str(stalled))
            self._count_restart(Reason.SILENT)
            return None
        except FAILURES as error:
            return interruption_of(error)
        if self._watched_seconds() >= SHORT_SECONDS or self.backoff.may_retry_at_once():
            self._count_restart(Reason.ENDED)  # as the server does every few minutes
            return None
        return ENDED_AT_ONCE

    def _refused(self, answer: Answer) -> Interruption | None:
        """The interruption after a refused list or watch. None if another way is tried at once."""
        if not self.progress.resource_version and self.watch_list.was_refused(answer.status):
            return None
        refusal = refusal_of(answer)
        if answer.status == FORBIDDEN:
            was_forbidden, self.forbidden = self.forbidden, True
            if self.started.done() and not was_forbidden:
                self.on_forbidden(answer)
        if answer.status not in (GONE, TOO_MANY):
            self._start(answer)
        if refusal.reason == Reason.EXPIRED and self.backoff.may_retry_at_once():
            self.progress.resource_version = ""  # the server compacted it away: a new list says what is there now
            self._count_restart(refusal.reason)
            return None
        return refusal

    async def _back_off(self, interruption: Interruption) -> None:
        """Opens a gap, and waits before the next attempt."""
        progress = self.progress
        self._count_restart(interruption.reason)
        if interruption.reason == Reason.BEHIND:
            self.staleness.is_suspect = True
        if interruption.reason == Reason.UNREADABLE:
            self._start(None)
        if isinstance(self.state, Streaming):
            self.watch_list.broke()
        begins = {Since.HEARD: progress.heard_us, Since.CURRENT: progress.current_us}
        since_us = begins.get(interruption.since) or self.client.clock.now()
        self.gaps.begin(self.prefix, since_us, interruption.cause)
        if self.backoff.distrusts_version() or interruption.relist:
            progress.resource_version = ""
        watched_seconds = self._watched_seconds()
        self.state = BackingOff(interruption.cause)
        await self.backoff.wait(watched_seconds, interruption.retry_seconds)

    def _start(self, refusal: Answer | None) -> None:
        if not self.started.done():
            self.started.set_result(refusal)

    def _count_restart(self, reason: Reason) -> None:
        self.telemetry.restarts[self.resource, reason] += 1

    def _watched_seconds(self) -> float:
        """How long the last watch was open."""
        return asyncio.get_running_loop().time() - self.state.since if isinstance(self.state, Watching) else 0

    # List

    async def _list(self) -> None:
        """Reads the whole collection page by page, so that it is never in memory as a whole."""
        self.state = Listing()
        keys: set[Key] = set()
        self._begin_initial_state()
        async for answer in pages(self.client, self.collection, self.collection.decoder):
            if not answer.good:
                raise WatchFailed(answer)
            for raw in named(answer.body):
                keys |= self.intake.update(raw, answer.at_us)
        self.progress.heard_us = answer.at_us
        self._end_initial_state(keys, answer.body["metadata"]["resourceVersion"])
        self.state = Connecting()

    def _begin_initial_state(self) -> None:
        self.unreadable.begin_list()
        self.telemetry.relists[self.resource,] += 1

    def _end_initial_state(self, keys: set[Key], version: str) -> None:
        """These are all the objects of this version. If one of them has no name, none is taken for deleted."""
        progress = self.progress
        if not version:
            raise ValueError("the end of the initial events has no resource version")
        if all(name for _, name in keys):
            self.store.retain(keys, progress.heard_us)
        self.unreadable.end_list(progress.heard_us)
        progress.resource_version, progress.object_count = version, len(keys)
        progress.current_us = progress.heard_us
        self.gaps.end(self.prefix, progress.heard_us)
        self._start(None)

    # Watch

    async def _watch(self) -> None:
        """Watches from the known version until the server ends it. Without one, the initial state comes first."""
        progress = self.progress
        seconds = random.randint(*WATCH_SECONDS)  # noqa: S311  # spreads the load
        since = {"resourceVersion": progress.resource_version} if progress.resource_version else PARAMETERS
        request = self.collection.request(watch="1", **since, allowWatchBookmarks="true", timeoutSeconds=str(seconds))
        if progress.resource_version:
            self.gaps.begin(self.prefix, self.client.clock.now(), WATCH_PENDING)
        async with aclosing(self.client.lines(request)) as lines:
            await anext(lines)  # the server has answered 200
            progress.heard_us, self.forbidden = self.client.clock.now(), False
            if not progress.resource_version:
                await self._stream_initial_state(lines)
            self.state = watching = Watching(asyncio.get_running_loop().time())
            progress.advanced = False
            self._end_gap()
            ended_by_server = await self._receive(lines, watching, seconds)
        if ended_by_server:
            progress.current_us = self.client.clock.now()
        was_silent = not watching.events and not watching.is_current and self._watched_seconds() >= SHORT_SECONDS
        if was_silent or self.unreadable.needs_list(progress.heard_us):
            # Without a bookmark the version would be compacted away. A new list takes over, and there is no gap.
            progress.resource_version = ""

    def _end_gap(self) -> None:
        """The watch is open. That ends a gap, but does not prove that the watch is current."""
        if self.prefix in self.gaps.open:
            was_pending = self.gaps.is_pending(self.prefix)
            self.gaps.end(self.prefix, self.progress.heard_us)
            if not was_pending:
                self.progress.current_us = self.progress.heard_us

    async def _stream_initial_state(self, lines: AsyncGenerator[bytes, None]) -> None:
        """Receives the initial state, and changes that happen meanwhile, up to the bookmark that ends it."""
        self.state = Streaming()
        keys: set[Key] = set()
        self._begin_initial_state()
        async with stall_timeout() as renew:
            async for line in lines:
                kind, raw = self._decode(line)
                if kind == "BOOKMARK":
                    if is_end(raw):
                        self.watch_list.ended()
                        self._end_initial_state(keys, resource_version_of(raw))
                        return
                elif kind == "DELETED":
                    keys -= self.intake.delete(raw, self.progress.heard_us)
                elif kind in CHANGES:
                    keys |= self.intake.update(raw, self.progress.heard_us)
                    if kind == "ADDED":
                        renew()
                else:
                    raise _unknown_type(kind)
        raise InitialEventsCutShort("the server ended a watch before the end of the initial events")

    async def _receive(self, lines: AsyncGenerator[bytes, None], watching: Watching, seconds: float) -> bool:
        """Takes events until the watch ends. True if the server ended it; StaleWatch if it is not current."""
        ended_by_server = False
        check = asyncio.create_task(self.staleness.run(self.progress, seconds))
        try:
            async with asyncio.timeout(seconds + OVERDUE_SECONDS) as limit:
                check.add_done_callback(partial(end_if_stale, limit))
                async for line in lines:
                    watching.events += 1
                    self._take(*self._decode(line))
                ended_by_server = True
        except TimeoutError:
            if not limit.expired():
                raise
            if error := error_of(check):
                raise error from None
            # Nothing came since the watch was due to end.
            if self.client.clock.now() - self.progress.heard_us >= OVERDUE_SECONDS * SECOND:
                self.progress.current_us = self.progress.heard_us
                raise StaleWatch("the watch sent nothing, and did not end when it was due") from None
        finally:
            check.cancel()
        watching.is_current = check.done() and not check.cancelled() and check.result()
        return ended_by_server

    def _decode(self, line: bytes) -> tuple[str, Any]:
        """Type and object of one line of a watch; Unreadable in place of the object. WatchFailed for an ERROR."""
        now_us = self.progress.heard_us = self.client.clock.now()
        self.telemetry.observe_event(self.resource, now_us)
        self.event_count += 1
        if not self.event_count % EVENTS_PER_MEMORY_CHECK and self.client.budget.is_measured_full:
            raise TooLong("no memory is left for more objects: raise the memory limit")
        kind, raw = event_of(line, self.collection.decoder)
        if kind == "ERROR":
            raise WatchFailed(status_of_error(self.collection.path, raw, now_us))
        return kind, raw

    def _take(self, kind: str, raw: Any) -> None:
        """Applies one event of a watch."""
        progress, had_unnamed = self.progress, UNNAMED in self.unreadable.objects
        if kind == "DELETED":
            self.intake.delete(raw, progress.heard_us)
            progress.object_count -= 1
        elif kind in CHANGES:
            self.intake.update(raw, progress.heard_us)
            progress.object_count += kind == "ADDED"
        elif kind != "BOOKMARK":
            # Nobody knows what has changed, if anything: all is listed again.
            raise _unknown_type(kind)
        if progress.advance(resource_version_of(raw), is_bookmark=kind == "BOOKMARK"):
            self.backoff.made_progress()
        if UNNAMED in self.unreadable.objects and not had_unnamed:
            raise UnnamedObject("an event does not name its object")


def _unknown_type(kind: str) -> ValueError:
    return ValueError(f"an event of the unknown type {kind[:40]!r}")
