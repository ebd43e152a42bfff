"""Says how all that is in a collection is read at first: in the stream of a watch, or page by page."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from hpaaudit.cluster.client import FORBIDDEN, Answer, Client
from hpaaudit.cluster.outline import Unreadable
from hpaaudit.cluster.shapes import Shape, page_of, piece_of

PAGE = 500
BAD_REQUEST, UNPROCESSABLE = 400, 422
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
END = "k8s.io/initial-events-end"
"""The annotation of the bookmark that ends the initial events."""
FIRST_MINOR, OFF_MINOR = 32, 33
"""The feature `WatchList` is on by default since Kubernetes 1.32, but was off again in 1.33."""
STALLED_SECONDS = 10
"""So long after an object another one, or the end, must come; client-go warns after as many."""
RENEWED_SECONDS = 1
"""So often that time begins anew: a timer costs as much as an event."""
LONGEST_SECONDS = 120
"""So long may all take: what takes no notice of what it was asked for goes on with what is new, for ever."""
SMALLER = 5
"""A page that is too long is asked for again with a fifth of its items."""
EMPTY_PAGES = 10
"""So many pages in a row may be empty, as those of a list with a selector are by the letter of the API."""
LONGEST_LIST_SECONDS = 300
"""So long may a list take: 150,000 pods take 30 s, and etcd forgets what a page goes on from after five minutes."""
TRIES = 3
"""So often a stream may break before its end: a proxy that cuts it every time would never let us see all."""

Object = dict[str, Any]


class Stalled(Exception):
    """A stream of initial events in which nothing came any more, and no end."""


class CutShort(Exception):
    """A stream that its server ended before it had told all."""


def can_stream(version: str) -> bool:
    """Whether a server of this `gitVersion` knows `sendInitialEvents`, and has it on unless somebody switched it off.

    One that has it switched off answers 422. One older than 1.19 takes no notice, and never says when all was told:
    nobody is asked whose version does not promise it.
    """
    found = re.match(r"v(\d+)\.(\d+)", version)
    if found is None:
        return False
    major, minor = map(int, found.groups())
    return major > 1 or (minor >= FIRST_MINOR and minor != OFF_MINOR)


@dataclass(slots=True)
class Streaming:
    """Whether one watch asks for its initial state in the stream; once given up, it is asked for in pages for good.

    begun    it is being told;  broken   streams that broke before their end, in a row
    """

    wanted: bool
    begun: bool = False
    broken: int = 0

    def refused(self, status: int) -> bool:
        """Whether pages are to be asked for at once, as the stream was refused.

        400 and 422 say that this server has none, or has it switched off; 403 that we may not watch: we may list,
        perhaps.
        """
        refused = self.wanted and status in (BAD_REQUEST, FORBIDDEN, UNPROCESSABLE)
        self.wanted = self.wanted and not refused
        return refused

    def broke(self) -> None:
        """A watch broke, which tells against the stream if that was being told."""
        if self.begun:
            self.begun, self.broken = False, self.broken + 1
            self.wanted = self.wanted and self.broken < TRIES

    def ended(self) -> None:
        """All was told."""
        self.begun, self.broken = False, 0


@asynccontextmanager
async def patience() -> AsyncIterator[Callable[[], None]]:
    """As long as objects come; call what it gives for each that is there.

    What changes meanwhile is no such object: a server that takes no notice of what it was asked for goes on with it,
    and its stream would never be Stalled.
    """
    loop = asyncio.get_running_loop()
    begun = renewed = loop.time()

    def told() -> None:
        nonlocal renewed
        now = loop.time()
        if now - renewed >= RENEWED_SECONDS:
            renewed = now
            limit.reschedule(min(now + STALLED_SECONDS, begun + LONGEST_SECONDS))

    try:
        async with asyncio.timeout(STALLED_SECONDS) as limit:
            yield told
    except TimeoutError:
        if limit.expired():
            raise Stalled("the server did not say that it has told all") from None
        raise


def is_end(bookmark: Object) -> bool:
    """Whether all that was there has been told."""
    marks = bookmark["metadata"].get("annotations")
    return isinstance(marks, dict) and marks.get(END) == "true"


async def pages(client: Client, path: str, query: dict[str, str], shape: Shape) -> AsyncIterator[Answer]:
    """A whole collection, page by page, so that never all of it is held; a bad answer is the last one.

    A page that is too long is asked for again with fewer items. A list without end is a bad answer: one whose pages
    lead back to an earlier one, begin with what was told before, bring nothing, or take too long together.
    """
    following, limit = "", PAGE
    bounds = _Bounds()
    while True:
        asked = {**query, "limit": str(limit), **({"continue": following} if following else {})}
        asked_for = f"{path}?{urlencode(asked)}"
        answer = await client.get(asked_for, decode=page_of(shape), item=partial(piece_of, shape))
        if answer.too_long and limit > 1:
            limit = max(1, limit // SMALLER)
            continue
        following, items = _continued(answer)
        if following and (why := bounds.why_endless(following, items, is_full=client.budget.is_measured_full)):
            yield replace(answer, status=0, body=None, error=f"{why}, after {bounds.pages} pages")
            return
        yield answer
        if not following:
            return


@dataclass(slots=True)
class _Bounds:
    """What was told by the pages of one list so far."""

    begun: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    pages: int = 0
    empty: int = 0
    tokens: set[int] = field(default_factory=set)
    firsts: set[tuple[str, str]] = field(default_factory=set)

    def why_endless(self, following: str, items: list[Any], *, is_full: bool) -> str:
        """Why a list of which more is to come is no list; empty where it may be one."""
        self.pages += 1
        self.empty = 0 if items else self.empty + 1
        first = _name_of(items[0]) if items else ("", "")
        if hash(following) in self.tokens:
            return "the list leads back to an earlier page"
        if first in self.firsts:
            return "the list begins again with what it told before"
        if self.empty > EMPTY_PAGES:
            return "the pages of the list are empty, and say that more will come"
        if asyncio.get_running_loop().time() - self.begun > LONGEST_LIST_SECONDS:
            return f"the list has no end in {LONGEST_LIST_SECONDS} s"
        if is_full:
            return "no memory is left for more of the list: raise the memory limit"
        self.tokens.add(hash(following))
        if first[1]:
            self.firsts.add(first)
        return ""


def _continued(answer: Answer) -> tuple[str, list[Any]]:
    """Where a page goes on, empty where it does not, and its items."""
    if not answer.good:
        return "", []
    return answer.body["metadata"].get("continue") or "", answer.body["items"] or []


def _name_of(item: Any) -> tuple[str, str]:
    """Namespace and name of an item, empty where it does not tell."""
    if isinstance(item, Unreadable):
        return item.key
    return item["metadata"].get("namespace", ""), item["metadata"].get("name", "")


def named(listed: Object) -> list[Object | Unreadable]:
    """The items of a list, each with the kind and the apiVersion that a list leaves out."""
    kind, version = listed.get("kind", "").removesuffix("List"), listed.get("apiVersion", "")
    items = listed.get("items") or ()
    return [item if isinstance(item, Unreadable) else {"kind": kind, "apiVersion": version, **item} for item in items]
