"""Follows one collection: learns what is there, watches it, takes up the thread where it broke."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp

from hpaaudit.cluster.client import (
    FORBIDDEN,
    GONE,
    TOO_MANY,
    Answer,
    Client,
    WatchFailed,
)
from hpaaudit.cluster.compare import EARLY, LEAD_SECONDS, SOON_SECONDS, Comparison, number
from hpaaudit.cluster.gaps import WAITING, Gaps
from hpaaudit.cluster.initial import STREAMED, CutShort, Object, Stalled, Streaming, is_end, named, pages, patience
from hpaaudit.cluster.meters import kind_of
from hpaaudit.cluster.outline import Unreadable, of_object
from hpaaudit.cluster.shapes import UNFIT, WHOLE, Shape, TooLong, event_of
from hpaaudit.cluster.unread import NOBODY, Unread
from hpaaudit.model.units import SECOND, Micros

WATCH_SECONDS = 90, 130
"""The server ends a watch at random within, before silence would count as a dead connection.

A watch on Events has no bookmarks, so a quiet one says nothing for hours: it ends in time and is taken up
again without a hole, and no gap is written down.
"""
OVERDUE_SECONDS = 20
"""A watch that lives so much longer than the server was asked for is ended by us."""
LATE_SECONDS = 75
"""The server sends a bookmark about once a minute: a watch that said nothing for longer is not known to be current."""
MEASURED_EVENTS = 1000
"""After so many events it is measured whether memory is left for more."""
CHANGES = ("ADDED", "MODIFIED")
FIRST_DELAY, LONGEST_DELAY = 0.8, 30.0  # client-go's backoff
HEALTHY_SECONDS = 10
"""A watch that stood so long was well: the next wait is a short one.

client-go waits for 120 s of health; then a proxy that cuts every minute would keep us blind half of the time.
"""
SHORT_SECONDS = 1
"""A watch that the server ends sooner was not ended in due time."""
SPARED_SECONDS = 10
"""So often one failure is tried again at once: the past of a quiet collection is forgotten, a server restarts."""
LONGEST_RETRY = 300
"""A server that asks us to stay away for longer is asked again."""
PATIENCE = 5
"""So often a watch may break without a single event before its version is no longer trusted."""

Key = tuple[str, str]
"""Namespace and name."""


class Nameless(Exception):
    """An event of an object that does not even tell its name: only a list can say what is there."""


class Behind(Exception):
    """A watch that stands, and is not known to be current."""


class Follower(Protocol):
    """Whoever wants to know what happens in a collection."""

    def changed(self, raw: Object, at_us: Micros) -> None:
        """One object as it is from now on, of a list or of a watch."""

    def gone(self, raw: Object, at_us: Micros) -> None:
        """One object as it was last."""

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """All was told once: these objects are all there are."""


class Watch:
    """A reflector of one collection; where `streamed`, the server is asked to stream its initial state.

    `started` is done when all was told once, with the answer that refused it if it was refused. After that
    nothing ends the watch but cancelling it: what fails is tried again, and the gap is written down.
    `forbidden` says whether we may not watch now; `withdrawn` is told when that comes later than at the start.
    An object that cannot be read is `unread`, and the watch goes on.

    heard_us     when it said something last: a blank is nothing
    current_us   when it was last known to have told everything: by a bookmark, a list, its end in due time
    count        objects that there are, as told;  moved  whether the last watch told of a newer version than was known
    doubted      the last watch was behind: this one is compared soon
    late_us      not being known to be current for longer is a gap: Events have no bookmarks
    """

    def __init__(
        self,
        client: Client,
        path: str,
        follower: Follower,
        gaps: Gaps,
        *,
        query: dict[str, str],
        shape: Shape = WHOLE,
        streamed: bool = False,
        withdrawn: Callable[[Answer], None] = lambda _: None,
        unread: Unread | None = None,
    ) -> None:
        self.client, self.path, self.follower, self.gaps, self.query = client, path, follower, gaps, query
        self.unread = unread or Unread(path, gaps, lambda _: None, lambda _: None)
        self.shape, self.withdrawn = shape, withdrawn
        self.prefix = f"{path}?{urlencode(query)}" if query else path
        self.resource, self.meters = kind_of(path)[0], client.meters
        self.late_us = (LATE_SECONDS if self.resource != "events" else WATCH_SECONDS[1] + OVERDUE_SECONDS) * SECOND
        self.started: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.streaming = Streaming(streamed)
        self.version = ""
        self.heard_us = self.current_us = Micros(0)
        self.comparison = Comparison(client, path, query)
        self.count, self.moved, self.doubted, self.events = 0, False, False, 0
        self.delay, self.spared_at = FIRST_DELAY, -float(SPARED_SECONDS)
        self.stood_at: float | None = None
        self.futile = 0
        self.forbidden = False

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            retry, since_us, self.stood_at = 0.0, None, None
            if self.heard_us:
                self.gaps.lost(self.prefix, self.client.clock.now(), WAITING)
            try:
                if not self.version and not self.streaming.wanted:
                    await self._list()
                await self._follow()
                if self._stood() >= SHORT_SECONDS or self._spare():
                    self._restarts("ended")
                    continue  # the server ended it, as it does every few minutes
                cause, reason = "the server ended a watch at once", "ended at once"
            except WatchFailed as failed:
                if not self.version and self.streaming.refused(failed.answer.status):
                    continue
                cause, retry = failed.answer.message, min(failed.answer.retry_seconds, LONGEST_RETRY)
                reason = "expired" if failed.answer.status == GONE else "refused"
                self._refused(failed.answer)
                if failed.answer.status == GONE and self._spare():
                    self._restarts(reason)
                    continue  # the past was forgotten: a new list says what is now
            except Stalled as stalled:
                self.streaming.wanted = self.streaming.begun = False
                self.gaps.lost(self.prefix, self.heard_us, str(stalled))
                self._restarts("silent")
                continue
            except Behind as behind:
                # All is listed anew: a watch that did not tell what it had to is not asked for the rest.
                cause, reason, since_us, self.version, self.doubted = str(behind), "behind", self.current_us, "", True
            except CutShort as cut:
                cause, reason = str(cut), "broken"
            except (aiohttp.ClientError, TimeoutError, OSError) as problem:
                cause, reason = " ".join(str(problem).split()) or "the connection broke", "broken"
                if _was_silent(problem):
                    # Dead from when it was last heard.
                    reason, since_us = "silent", self.heard_us
            except (*UNFIT, TooLong, Nameless) as problem:
                # Whose it was is not known: all is listed anew, and the gap stays until then.
                cause, reason, self.version = f"an answer cannot be read: {problem}", "unreadable", ""
                self._has_started(None)
            self._restarts(reason)
            self.streaming.broke()
            self.gaps.lost(self.prefix, since_us or self.client.clock.now(), cause)
            self._doubt()
            if self._stood() >= HEALTHY_SECONDS:
                self.delay = FIRST_DELAY
            await asyncio.sleep(max(retry, self.delay * (1 + random.random())))  # noqa: S311  # to spread the load
            self.delay = min(self.delay * 2, LONGEST_DELAY)

    def ends(self, now_us: Micros) -> None:
        """The recorder ends: a watch that is not known to be current leaves a gap from when it last was."""
        known_us = max(self.heard_us, self.current_us)
        if known_us and now_us - known_us > self.late_us:
            self.gaps.lost(self.prefix, known_us, "the watch said nothing, and the recorder ended before it was due")

    def _restarts(self, reason: str) -> None:
        self.meters.restarts[self.resource, reason] += 1

    def _stood(self) -> float:
        """For how many seconds the last watch stood."""
        return asyncio.get_running_loop().time() - self.stood_at if self.stood_at is not None else 0

    def _spare(self) -> bool:
        """Whether to try again without waiting, which is not done twice in a row."""
        now = asyncio.get_running_loop().time()
        spared, self.spared_at = now - self.spared_at >= SPARED_SECONDS, now
        return spared

    def _refused(self, answer: Answer) -> None:
        if answer.status == GONE:
            self.version = ""
        if answer.status == FORBIDDEN:
            known, self.forbidden = self.forbidden, True
            if self.started.done() and not known:
                self.withdrawn(answer)
        if answer.status not in (GONE, TOO_MANY):
            self._has_started(answer)

    def _has_started(self, refusal: Answer | None) -> None:
        if not self.started.done():
            self.started.set_result(refusal)

    def _doubt(self) -> None:
        """A server that came back from an older backup would refuse our version for ever."""
        self.futile += 1
        if self.futile >= PATIENCE:
            self.version, self.futile = "", 0

    async def _list(self) -> None:
        """Read the whole collection, page by page, so that never all of it is held; an expired page begins it anew."""
        keys: set[Key] = set()
        self.unread.listing()
        self.meters.relists[self.resource,] += 1
        async for answer in pages(self.client, self.path, self.query, self.shape):
            if not answer.good:
                raise WatchFailed(answer)
            for raw in named(answer.body):
                keys |= self._take_up(raw, answer.at_us)
        self.heard_us = answer.at_us
        self._knows_all(keys, answer.body["metadata"]["resourceVersion"])

    async def _follow(self) -> None:
        """Watch from the version that is known until the server ends it; without one, all that is there comes first."""
        seconds = random.randint(*WATCH_SECONDS)  # noqa: S311  # to spread the load
        query = {
            **self.query,
            "watch": "1",
            **({"resourceVersion": self.version} if self.version else STREAMED),
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
        }
        events, ended, confirmed = 0, False, False
        if self.version:
            self.gaps.lost(self.prefix, self.client.clock.now(), WAITING)
        async with aclosing(self.client.lines(f"{self.path}?{urlencode(query)}")) as lines:
            await anext(lines)  # it stands
            self.heard_us, self.forbidden = self.client.clock.now(), False
            if not self.version:
                await self._take_all(lines)
            loop = asyncio.get_running_loop()
            self.stood_at, self.moved = loop.time(), False
            if self.prefix in self.gaps.open:
                # The gap ends here; that a watch stands says nothing of its being current.
                waited = self.gaps.is_waiting(self.prefix)
                self.gaps.found(self.prefix, self.heard_us)
                self.current_us = self.current_us if waited else self.heard_us
            comparing = asyncio.create_task(self._compare(seconds))
            try:
                async with asyncio.timeout(seconds + OVERDUE_SECONDS) as limit:
                    comparing.add_done_callback(partial(_end_if_behind, limit))
                    async for line in lines:
                        events += 1
                        self._take(*self._event(line))
                    ended = True
            except TimeoutError:
                if not limit.expired():
                    raise
                if _is_behind(comparing):
                    raise Behind("the watch has not told what a list shows") from None
                if self.client.clock.now() - self.heard_us >= OVERDUE_SECONDS * SECOND:  # nothing since it was due
                    self.current_us = self.heard_us
                    raise Behind("the watch said nothing, and did not end when it was due") from None
            finally:
                comparing.cancel()
            confirmed = comparing.done() and not comparing.cancelled() and comparing.result()
        if ended:
            self.current_us = self.client.clock.now()
        silent = not events and not confirmed and self._stood() >= SHORT_SECONDS
        if silent or self.unread.wants_list(self.heard_us):
            # No bookmark either: the version would be compacted away. A fresh list takes over without a hole.
            self.version = ""

    async def _compare(self, seconds: float) -> bool:
        """Whether the watch, which stands, is known to be current; Behind where it is not."""
        loop, begun, known = asyncio.get_running_loop(), asyncio.get_running_loop().time(), False
        instants = [seconds * EARLY]
        if self.doubted:
            instants.insert(0, min(SOON_SECONDS, seconds * EARLY))
        for number_of, at in enumerate(instants, 1):
            await asyncio.sleep(max(0, begun + at - loop.time()))
            last = number_of == len(instants)
            found = await self.comparison.compare(
                self, max(0, begun + seconds - LEAD_SECONDS - loop.time()) if last else 0
            )
            if found.behind:
                raise Behind
            if found.at_us:
                self.current_us, known = max(self.current_us, found.at_us), True
                self.version = found.version or self.version
                self.doubted = self.doubted and not last
        return known

    async def _take_all(self, lines: AsyncGenerator[bytes, None]) -> None:
        """All that is there, and what happens to it meanwhile, up to the bookmark that ends it."""
        keys: set[Key] = set()
        self.unread.listing()
        self.meters.relists[self.resource,] += 1
        self.streaming.begun = True
        async with patience() as told:
            async for line in lines:
                kind, raw = self._event(line)
                if kind == "BOOKMARK":
                    if is_end(raw):
                        self.streaming.ended()
                        self._knows_all(keys, _version_of(raw))
                        return
                elif kind == "DELETED":
                    keys -= self._let_go(raw)
                elif kind in CHANGES:
                    keys |= self._take_up(raw, self.heard_us)
                    if kind == "ADDED":
                        told()
                else:
                    raise _unknown(kind)
        raise CutShort("the server ended a watch before it had told all")

    def _knows_all(self, keys: set[Key], version: str) -> None:
        """These are all there are, in this version; where one does not tell its name, none is called gone."""
        if not version:
            raise ValueError("the end of what is there has no version")
        if all(name for _, name in keys):
            self.follower.only(keys, self.heard_us)
        self.unread.only(self.heard_us)
        self.version, self.count, self.current_us = version, len(keys), self.heard_us
        self.gaps.found(self.prefix, self.heard_us)
        self._has_started(None)

    def _event(self, line: bytes) -> tuple[str, Any]:
        """Type and object of one line of a watch, or an Unreadable in its place. Raises WatchFailed for ERROR."""
        self.heard_us = self.client.clock.now()
        self.meters.heard(self.resource, self.heard_us)
        self.events += 1
        if not self.events % MEASURED_EVENTS and self.client.budget.is_measured_full:
            raise TooLong("no memory is left for more objects: raise the memory limit")
        kind, raw = event_of(line, self.shape)
        if kind == "ERROR":
            raise WatchFailed(_status(self.path, raw, self.heard_us))
        return kind, raw

    def _take(self, kind: str, raw: Any) -> None:
        known = NOBODY in self.unread.objects
        if kind == "DELETED":
            self._let_go(raw)
            self.count -= 1
        elif kind in CHANGES:
            self._take_up(raw, self.heard_us)
            self.count += kind == "ADDED"
        elif kind != "BOOKMARK":
            # Whether something changed nobody knows: it is no change, and all is listed anew.
            raise _unknown(kind)
        version = _version_of(raw)
        before, after = number(self.version), number(version)
        if version != self.version and (before is None or after is None or after > before):
            self.moved, self.futile = True, 0
            if kind == "BOOKMARK" and version:
                # One that says the version again may come from a cache that stands still.
                self.current_us = self.heard_us
        self.version = version or self.version
        if NOBODY in self.unread.objects and not known:
            raise Nameless("an event does not tell of which object it is")

    # Objects

    def _take_up(self, raw: Object | Unreadable, at_us: Micros) -> set[Key]:
        """Tell the follower of an object that is there, or write down that it cannot be read; its key."""
        if isinstance(raw, Unreadable):
            return self._refuse(raw, at_us)
        try:
            key = key_of(raw)
            self.follower.changed(raw, at_us)
        except UNFIT as problem:
            return self._refuse(of_object(raw, self.shape.kind, _said(problem)), at_us)
        self.unread.sound(key, at_us)
        return {key}

    def _let_go(self, raw: Object | Unreadable) -> set[Key]:
        """Tell the follower that an object is gone; its key."""
        if isinstance(raw, Unreadable):
            if not raw.name:
                return self._refuse(raw, self.heard_us)
            raw = {"metadata": {"namespace": raw.namespace, "name": raw.name, "uid": raw.uid}}
        try:
            key = key_of(raw)
            self.follower.gone(raw, self.heard_us)
        except UNFIT as problem:
            return self._refuse(of_object(raw, self.shape.kind, _said(problem)), self.heard_us)
        self.unread.sound(key, self.heard_us)
        return {key}

    def _refuse(self, bad: Unreadable, at_us: Micros) -> set[Key]:
        """Write an object down that cannot be read; its key."""
        self.unread.refuse(bad, at_us)
        return {bad.key}


def _unknown(kind: str) -> ValueError:
    return ValueError(f"an event of the unknown type {kind[:40]!r}")


def _end_if_behind(limit: asyncio.Timeout, comparing: "asyncio.Task[bool]") -> None:
    """End a watch now."""
    if _is_behind(comparing):
        with suppress(RuntimeError):  # it has just ended by itself
            limit.reschedule(asyncio.get_running_loop().time())


def _is_behind(comparing: "asyncio.Task[bool]") -> bool:
    """Whether the comparison found a watch that is behind."""
    return comparing.done() and not comparing.cancelled() and isinstance(comparing.exception(), Behind)


def key_of(raw: Object) -> Key:
    """The name of an object within its kind; ValueError where it tells none."""
    meta = raw["metadata"]
    namespace, name = meta.get("namespace", ""), meta["name"]
    if not (isinstance(namespace, str) and isinstance(name, str) and name):
        raise ValueError("it has no name")
    return namespace, name


def _version_of(raw: Object | Unreadable) -> str:
    """The resource version of an object, empty where it is not a text."""
    if isinstance(raw, Unreadable):
        return raw.version
    meta = raw.get("metadata")
    version = meta.get("resourceVersion") if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""


def _said(problem: BaseException) -> str:
    """What an error of reading says; a KeyError only names its field."""
    return f"it lacks {problem}" if isinstance(problem, KeyError) else str(problem) or type(problem).__name__


def _was_silent(problem: Exception) -> bool:
    """Whether a watch that stood said nothing for too long."""
    return isinstance(problem, aiohttp.SocketTimeoutError)


def _status(path: str, raw: Object | Unreadable, now: Micros) -> Answer:
    """The Status of an ERROR event as the answer that it stands for."""
    if isinstance(raw, Unreadable):
        return Answer(path=path, status=0, body=None, error=raw.reason, sent_us=now, at_us=now)
    code = raw.get("code")
    return Answer(path=path, status=code if isinstance(code, int) else 0, body=raw, error="", sent_us=now, at_us=now)
