"""Follows one collection: lists it, watches it, takes up the thread where it broke."""

import asyncio
import random
from contextlib import aclosing
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp
import msgspec

from hpaaudit.cluster.client import (
    GONE,
    TOO_MANY,
    Answer,
    Client,
    WatchFailed,
)
from hpaaudit.cluster.gaps import Gaps
from hpaaudit.model.units import Micros

PAGE = 500
WATCH_SECONDS = 90, 130
"""The server ends a watch at random within, before silence would count as a dead connection.

A watch on Events has no bookmarks, so a quiet one says nothing for hours: it ends in time and is taken up
again without a hole, and no gap is written down.
"""
FIRST_DELAY, LONGEST_DELAY = 0.8, 30.0  # client-go's backoff
HEALTHY_SECONDS = 120
PATIENCE = 5
"""So often a watch may break without a single event before its version is no longer trusted."""

Object = dict[str, Any]
Key = tuple[str, str]
"""Namespace and name."""


class Follower(Protocol):
    """Whoever wants to know what happens in a collection."""

    def changed(self, raw: Object, at_us: Micros) -> None:
        """One object as it is from now on, of a list or of a watch."""

    def gone(self, raw: Object, at_us: Micros) -> None:
        """One object as it was last."""

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """A list has ended: these objects are all there are."""


class Watch:
    """A reflector of one collection.

    `started` is done after the first list, with the answer that refused it if it was refused. After that
    nothing ends the watch but cancelling it: what fails is tried again, and the gap is written down.
    """

    def __init__(self, client: Client, path: str, follower: Follower, gaps: Gaps, *, query: dict[str, str]) -> None:
        self.client, self.path, self.follower, self.gaps, self.query = client, path, follower, gaps, query
        self.prefix = f"{path}?{urlencode(query)}" if query else path
        self.started: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.version = ""
        self.heard_us = Micros(0)
        self.delay = FIRST_DELAY
        self.futile = 0

    async def run(self) -> None:
        """Follow until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            begun, retry, silent = loop.time(), 0.0, False
            try:
                if not self.version:
                    await self._list()
                await self._follow()
                continue  # the server ended it, as it does every few minutes
            except WatchFailed as failed:
                cause, retry = failed.answer.message, failed.answer.retry_seconds
                self._refused(failed.answer)
                if failed.answer.status == GONE and not self.futile:
                    # The past was forgotten, as that of a quiet collection is: a new list says what is now.
                    self.futile += 1
                    continue
            except (aiohttp.ClientError, TimeoutError, OSError) as problem:
                cause, silent = " ".join(str(problem).split()) or "the connection broke", _was_silent(problem)
            except (msgspec.DecodeError, ValueError, KeyError, TypeError, AttributeError) as problem:
                # An object that we cannot read must not end a recording: all is listed anew, and the gap stays.
                cause, self.version = f"an object cannot be read: {problem!r}", ""
                self._has_started(None)
            # A connection that went silent was dead from when it was last heard.
            self.gaps.lost(self.prefix, self.heard_us if silent else self.client.clock.now(), cause)
            self._doubt()
            if loop.time() - begun > HEALTHY_SECONDS:
                self.delay = FIRST_DELAY
            await asyncio.sleep(max(retry, self.delay * (1 + random.random())))  # noqa: S311  # to spread the load
            self.delay = min(self.delay * 2, LONGEST_DELAY)

    def _refused(self, answer: Answer) -> None:
        if answer.status == GONE:
            self.version = ""
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
        following = ""
        while True:
            query = {**self.query, "limit": str(PAGE), **({"continue": following} if following else {})}
            answer = await self.client.get(f"{self.path}?{urlencode(query)}")
            if not answer.good:
                raise WatchFailed(answer)
            for raw in named(answer.body):
                self.follower.changed(raw, answer.at_us)
                keys.add(key_of(raw))
            following = answer.body["metadata"].get("continue") or ""
            if not following:
                break
        self.follower.only(keys, answer.at_us)
        self.version, self.heard_us = answer.body["metadata"]["resourceVersion"], answer.at_us
        self.gaps.found(self.prefix, answer.at_us)
        self._has_started(None)

    async def _follow(self) -> None:
        """Watch from the version that is known, until the server ends it."""
        query = {
            **self.query,
            "watch": "1",
            "resourceVersion": self.version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(random.randint(*WATCH_SECONDS)),  # noqa: S311  # to spread the load
        }
        begun, events = asyncio.get_running_loop().time(), 0
        async with aclosing(self.client.lines(f"{self.path}?{urlencode(query)}")) as lines:
            async for line in lines:
                self.heard_us = self.client.clock.now()
                if not line:
                    self.gaps.found(self.prefix, self.heard_us)
                    continue
                events += 1
                event = msgspec.json.decode(line)
                if event["type"] == "ERROR":
                    raise WatchFailed(_status(self.path, event["object"], self.heard_us))
                self._take(event["type"], event["object"], self.heard_us)
        if not events and asyncio.get_running_loop().time() - begun < 1:
            raise TimeoutError("the server ended a watch at once")
        if not events:
            # No bookmark either: the version would be compacted away. A fresh list takes over without a hole.
            self.version = ""

    def _take(self, kind: str, raw: Object, now: Micros) -> None:
        self.version = raw["metadata"]["resourceVersion"]
        self.futile, self.delay = 0, FIRST_DELAY
        if kind == "DELETED":
            self.follower.gone(raw, now)
        elif kind != "BOOKMARK":
            self.follower.changed(raw, now)


def named(listed: Object) -> list[Object]:
    """The items of a list, each with the kind and the apiVersion that a list leaves out."""
    kind, version = str(listed.get("kind", "")).removesuffix("List"), listed.get("apiVersion", "")
    return [{"kind": kind, "apiVersion": version, **item} for item in listed.get("items") or ()]


def key_of(raw: Object) -> Key:
    """The name of an object within its kind."""
    meta = raw["metadata"]
    return meta.get("namespace", ""), meta["name"]


def _was_silent(problem: Exception) -> bool:
    """Whether a watch that stood said nothing for too long."""
    return isinstance(problem, aiohttp.SocketTimeoutError)


def _status(path: str, raw: Object, now: Micros) -> Answer:
    """The Status of an ERROR event as the answer that it stands for."""
    return Answer(path=path, status=raw.get("code") or 0, body=raw, error="", sent_us=now, at_us=now)
