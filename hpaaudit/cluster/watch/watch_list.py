"""Asks a watch to stream the initial state, instead of a list: the feature WatchList of Kubernetes 1.32 and newer."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from hpaaudit.cluster.client.client import FORBIDDEN

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
