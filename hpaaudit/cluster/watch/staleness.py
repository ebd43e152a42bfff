"""Finds watches that are open but stale, by comparing what a watch delivered with a list.

A watch may stay open and deliver nothing, or too little, without any error: a broken proxy, or a watch cache of the
API server that fell behind etcd. Every watch is therefore compared with a list once in its life.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Required, TypedDict

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.http_answer import Answer
from hpaaudit.cluster.decoding.decoders import kind_decoder
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.interruption import StaleWatch
from hpaaudit.cluster.watch.pager import pages
from hpaaudit.cluster.watch.states import Progress, version_number
from hpaaudit.model.units import Micros

CHECK_AT = 0.25
"""The part of its life after which a watch is checked. Its first bookmark, after a minute, may then confirm it."""
RECHECK_SECONDS = 10
"""How soon a watch is checked that follows a stale one, besides the usual check."""
LEAD_SECONDS = 20
"""How long before its due end a watch is compared with a whole list, if no resource version confirmed it before."""
GRACE_SECONDS = 5
"""How long a watch may take to deliver what a list shows."""
FULL_CHECK_SECONDS = 600
"""How often at most a watch that advances, but has no bookmarks, is compared with a whole list."""


class _Meta(TypedDict, total=False):
    resourceVersion: str


class _Item(TypedDict, total=False):
    metadata: Required[_Meta]


VERSIONS = kind_decoder(_Item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a watch is stale.

    current_us   when it was known to be current, None if it is stale or that is unknown
    version      a version of the collection that has nothing the watch did not deliver; empty if none is known
    """

    is_stale: bool = False
    current_us: Micros | None = None
    version: str = ""


UNKNOWN = Verdict()


@dataclass(slots=True)
class StalenessCheck:
    """The checks of one collection, from watch to watch.

    is_suspect   the last watch was stale: the next one is also checked soon after it began
    listed_at    when the whole collection was last listed for a check, in seconds of the event loop
    """

    client: Client
    collection: Collection
    is_suspect: bool = False
    listed_at: float = field(default=-float(FULL_CHECK_SECONDS))

    async def run(self, progress: Progress, seconds: float) -> bool:
        """Checks a watch that has just begun and lives for `seconds`. True if it is current; StaleWatch if not."""
        loop = asyncio.get_running_loop()
        began, is_current = loop.time(), False
        check_times = [seconds * CHECK_AT]
        if self.is_suspect:
            check_times.insert(0, min(RECHECK_SECONDS, seconds * CHECK_AT))
        for number, check_at in enumerate(check_times, 1):
            await asyncio.sleep(max(0, began + check_at - loop.time()))
            is_last = number == len(check_times)
            patience = max(0, began + seconds - LEAD_SECONDS - loop.time()) if is_last else 0
            verdict = await self.compare(progress, patience)
            if verdict.is_stale:
                raise StaleWatch("the watch did not deliver what a list shows")
            if verdict.current_us:
                is_current = True
                progress.current_us = max(progress.current_us, verdict.current_us)
                progress.resource_version = verdict.version or progress.resource_version
                self.is_suspect = self.is_suspect and not is_last
        return is_current

    async def compare(self, progress: Progress, patience: float) -> Verdict:
        """Compares once. Takes up to `patience` and GRACE_SECONDS.

        The cheap way first: one object is listed for the version of the collection, and the watch has `patience`
        seconds to deliver that version. Only if it does not, the whole collection is listed.
        """
        answer = await self.client.get(Collection(path=self.collection.path, query=self._narrow()).request(limit="1"))
        listed = _version_of(answer)
        if listed is None or version_number(progress.resource_version) is None:
            return UNKNOWN
        await asyncio.sleep(patience)
        delivered = version_number(progress.resource_version)
        if delivered is not None and delivered >= listed:
            return Verdict(current_us=answer.at_us)
        loop = asyncio.get_running_loop()
        if progress.advanced and loop.time() - self.listed_at < FULL_CHECK_SECONDS:
            return UNKNOWN
        self.listed_at = loop.time()
        return await self._compare_all(progress)

    async def _compare_all(self, progress: Progress) -> Verdict:
        """Stale, if some listed object is newer than what was delivered, or if the counts differ."""
        newest, count = 0, 0
        async for answer in pages(self.client, self.collection, VERSIONS):
            if not answer.good:
                return UNKNOWN
            for item in answer.body.get("items") or ():
                is_unreadable = isinstance(item, Unreadable)
                version = version_number(item.version if is_unreadable else item["metadata"].get("resourceVersion", ""))
                if version is None:
                    return UNKNOWN
                newest, count = max(newest, version), count + 1
        before = progress.resource_version, progress.object_count
        await asyncio.sleep(GRACE_SECONDS)
        delivered = version_number(progress.resource_version)
        if delivered is None:
            return UNKNOWN
        # A watch that is current delivers what changes meanwhile: then its count need not be that of the list.
        is_unchanged = (progress.resource_version, progress.object_count) == before
        if delivered < newest or (progress.object_count != count and is_unchanged):
            return Verdict(is_stale=True)
        was_quiet = progress.resource_version == before[0] and _version_of(answer) is not None
        return Verdict(current_us=answer.at_us, version=answer.body["metadata"]["resourceVersion"] if was_quiet else "")

    def _narrow(self) -> dict[str, str]:
        """The field selector, if it names one object: RBAC may allow that object only.

        Other selectors are left out: to find the first object that matches, the server would read them all.
        """
        fields = self.collection.query.get("fieldSelector", "")
        return {"fieldSelector": fields} if fields.startswith("metadata.name=") else {}


def _version_of(answer: Answer) -> int | None:
    """The version of a collection, from any of its pages."""
    meta = answer.body.get("metadata") if answer.good else None
    return version_number(meta.get("resourceVersion")) if isinstance(meta, dict) else None


def end_if_stale(limit: asyncio.Timeout, check: "asyncio.Task[bool]") -> None:
    """Ends the watch now if its check has found it stale."""
    if error_of(check):
        with suppress(RuntimeError):  # it has just ended by itself
            limit.reschedule(asyncio.get_running_loop().time())


def error_of(check: "asyncio.Task[bool]") -> StaleWatch | None:
    """The error of a check that has found the watch stale."""
    error = check.exception() if check.done() and not check.cancelled() else None
    return error if isinstance(error, StaleWatch) else None
