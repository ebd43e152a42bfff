"""Asks a watch to stream the initial state instead of listing it: the feature WatchList of Kubernetes 1.32+."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hpaaudit.cluster.client.http_answer import FORBIDDEN
from hpaaudit.cluster.watch.store import Object

BAD_REQUEST, UNPROCESSABLE = 400, 422
PARAMETERS = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
END = "k8s.io/initial-events-end"
"""The annotation of the bookmark that ends the initial events."""
FIRST_MINOR, OFF_MINOR = 32, 33
"""The feature gate `WatchList` is on by default since Kubernetes 1.32, but was off again in 1.33."""
STALLED_SECONDS = 10
"""How long the next initial event, or their end, may take. client-go logs a warning after as many."""
RENEWED_SECONDS = 1
"""How often that time limit is renewed: a timer costs as much as an event."""
LONGEST_SECONDS = 120
"""How long all initial events may take: a server that ignores the parameters goes on with new events for ever."""
TRIES = 3
"""How often the stream may break before its end. Behind a proxy that always cuts it we would never see everything."""


class InitialEventsStalled(Exception):
    """A stream of initial events in which nothing came any more, not even its end."""


class InitialEventsCutShort(Exception):
    """A stream that the server ended before the end of the initial events."""


def can_stream(version: str) -> bool:
    """Whether a server of this `gitVersion` knows `sendInitialEvents` and has it on by default.

    A server that has it off answers 422. One older than 1.19 ignores the parameter and never sends the end: so only
    a version that is known to support it is asked.
    """
    match = re.match(r"v(\d+)\.(\d+)", version)
    if match is None:
        return False
    major, minor = map(int, match.groups())
    return major > 1 or (minor >= FIRST_MINOR and minor != OFF_MINOR)


@dataclass(slots=True)
class WatchList:
    """Whether one reflector asks for the initial state in the stream; once it gave up, it lists pages for good.

    broken   streams in a row that broke before their end
    """

    enabled: bool
    broken: int = 0

    def was_refused(self, status: int) -> bool:
        """Whether this status refuses the stream, so that pages are listed instead.

        400 and 422: the server does not have the feature, or has it off. 403: we may not watch, but perhaps list.
        """
        is_refused = self.enabled and status in (BAD_REQUEST, FORBIDDEN, UNPROCESSABLE)
        self.enabled = self.enabled and not is_refused
        return is_refused

    def broke(self) -> None:
        """Notes that the stream broke before its end."""
        self.broken += 1
        self.enabled = self.enabled and self.broken < TRIES

    def ended(self) -> None:
        """Notes that all initial events came."""
        self.broken = 0


@asynccontextmanager
async def stall_timeout() -> AsyncIterator[Callable[[], None]]:
    """Raises InitialEventsStalled if no initial event comes in time. Call what it yields for each one that comes.

    Changes that come in between do not count: from a server that ignores the parameters nothing else comes, and the
    stream would never count as stalled.
    """
    loop = asyncio.get_running_loop()
    began = renewed_at = loop.time()

    def renew() -> None:
        nonlocal renewed_at
        now = loop.time()
        if now - renewed_at >= RENEWED_SECONDS:
            renewed_at = now
            limit.reschedule(min(now + STALLED_SECONDS, began + LONGEST_SECONDS))

    try:
        async with asyncio.timeout(STALLED_SECONDS) as limit:
            yield renew
    except TimeoutError:
        if limit.expired():
            raise InitialEventsStalled("the server did not send the end of the initial events") from None
        raise


def is_end(bookmark: Object) -> bool:
    """Whether this bookmark ends the initial events."""
    annotations = bookmark["metadata"].get("annotations")
    return isinstance(annotations, dict) and annotations.get(END) == "true"
