"""Compares what a watch has told with what lists say, for a stream may stand and be behind."""

import asyncio
from dataclasses import dataclass, field
from typing import Protocol, Required, TypedDict
from urllib.parse import urlencode

from hpaaudit.cluster.client.client import Answer, Client
from hpaaudit.cluster.decoding.decoders import shape_of
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.pager import pages
from hpaaudit.model.units import Micros

EARLY = 0.25
"""The part of its life at which a watch is compared: the bookmark of its first minute comes after that."""
SOON_SECONDS = 10
"""A watch that follows one that was behind is compared so soon, and once more in its time."""
LEAD_SECONDS = 20
"""So long before its due end all is listed, where no version of the watch says that it is current."""
GRACE_SECONDS = 5
"""So long after a list the watch may take to tell what stands in it."""
SELDOM_SECONDS = 600
"""A watch that gets on, but has no bookmarks, is compared with a whole list so often at most."""


class _Meta(TypedDict, total=False):
    resourceVersion: str


class _Item(TypedDict, total=False):
    metadata: Required[_Meta]


VERSIONS = shape_of(_Item)


class Told(Protocol):
    """What a watch has told: its version, how many objects there are, and whether it got on since it stands."""

    version: str
    count: int
    moved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Whether a watch is behind; `at_us` when it was current, None where it is behind, or nobody can say.

    version   of the collection in which nothing is newer than what was told, empty where that is not known
    """

    behind: bool = False
    at_us: Micros | None = None
    version: str = ""


@dataclass(slots=True)
class Comparison:
    """The comparisons of one collection, from watch to watch; `listed_at` tells when all was listed last for one."""

    client: Client
    path: str
    query: dict[str, str]
    listed_at: float = field(default=-float(SELDOM_SECONDS))

    async def compare(self, told: Told, seconds: float) -> Compared:
        """Compare once, which takes about so many seconds and GRACE_SECONDS."""
        answer = await self.client.get(f"{self.path}?{urlencode({**self._narrow(), 'limit': '1'})}")
        now = _version_of(answer)
        if now is None or (known := number(told.version)) is None:
            return Compared()
        await asyncio.sleep(seconds)
        if (known := number(told.version)) is not None and known >= now:
            return Compared(at_us=answer.at_us)
        loop = asyncio.get_running_loop()
        if told.moved and loop.time() - self.listed_at < SELDOM_SECONDS:
            return Compared()
        self.listed_at = loop.time()
        return await self._compare_all(told)

    async def _compare_all(self, told: Told) -> Compared:
        """Whether some object is newer than what was told, or is missing in it."""
        newest, count = 0, 0
        async for answer in pages(self.client, self.path, self.query, VERSIONS):
            if not answer.good:
                return Compared()
            for item in answer.body.get("items") or ():
                unread = isinstance(item, Unreadable)
                version = number(item.version if unread else item["metadata"].get("resourceVersion", ""))
                if version is None:
                    return Compared()
                newest, count = max(newest, version), count + 1
        before = told.version, told.count
        await asyncio.sleep(GRACE_SECONDS)
        known = number(told.version)
        if known is None:
            return Compared()
        # What changed meanwhile is told by a watch that is current: then the count is no longer that of the list.
        if known < newest or (told.count != count and (told.version, told.count) == before):
            return Compared(behind=True)
        quiet = told.version == before[0] and _version_of(answer) is not None
        return Compared(at_us=answer.at_us, version=answer.body["metadata"]["resourceVersion"] if quiet else "")

    def _narrow(self) -> dict[str, str]:
        """Of the selectors those that a right may depend on: to find the first object of others all are read."""
        fields = self.query.get("fieldSelector", "")
        return {"fieldSelector": fields} if fields.startswith("metadata.name=") else {}


def number(version: object) -> int | None:
    """A resource version as a number: those of one collection are ordered; None where it is none."""
    plain = isinstance(version, str) and version.isascii() and version.isdecimal() and len(version) < 20  # noqa: PLR2004  # 64 bits
    return int(str(version)) if plain else None


def _version_of(answer: Answer) -> int | None:
    """The version of a collection, of any of its pages."""
    meta = answer.body.get("metadata") if answer.good else None
    return number(meta.get("resourceVersion")) if isinstance(meta, dict) else None
