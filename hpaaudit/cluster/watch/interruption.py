"""Why an attempt to list and watch failed, and what follows from it."""

from dataclasses import dataclass
from enum import StrEnum

import aiohttp

from hpaaudit.cluster.client.http_answer import GONE, Answer
from hpaaudit.cluster.decoding.decoders import UNFIT, TooLong
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.store import Object
from hpaaudit.cluster.watch.watch_list import InitialEventsCutShort
from hpaaudit.model.units import Micros

LONGEST_RETRY_SECONDS = 300
"""A longer Retry-After is cut to this."""


class UnnamedObject(Exception):
    """An event about an object without a name: only a list can say what is there now."""


class StaleWatch(Exception):
    """A watch that is open, but not known to be current."""


class Reason(StrEnum):
    """The label `reason` of the metric `hpaaudit_watch_restarts`."""

    ENDED = "ended"
    ENDED_AT_ONCE = "ended at once"
    EXPIRED = "expired"
    REFUSED = "refused"
    SILENT = "silent"
    BEHIND = "behind"
    BROKEN = "broken"
    UNREADABLE = "unreadable"


class Since(StrEnum):
    """Since when nothing was seen."""

    NOW = "now"
    HEARD = "when something last came"
    CURRENT = "when the watch was last known to be current"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An attempt that failed.

    cause           for the gap;  since  where the gap begins
    relist          the resource version is of no use any more: the whole collection is read again
    retry_seconds   the least delay before the next attempt
    """

    cause: str
    reason: Reason
    since: Since = Since.NOW
    relist: bool = False
    retry_seconds: float = 0


ENDED_AT_ONCE = Interruption(cause="the server ended a watch at once", reason=Reason.ENDED_AT_ONCE)
FAILURES = (
    StaleWatch,
    InitialEventsCutShort,
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    *UNFIT,
    TooLong,
    UnnamedObject,
)
"""What an attempt raises, besides WatchFailed and InitialEventsStalled."""


def interruption_of(error: Exception) -> Interruption:
    """What follows from one of FAILURES."""
    match error:
        case StaleWatch():
            # A watch that held back what it should have sent is not asked for the rest.
            return Interruption(cause=str(error), reason=Reason.BEHIND, since=Since.CURRENT, relist=True)
        case InitialEventsCutShort():
            return Interruption(cause=str(error), reason=Reason.BROKEN)
        case aiohttp.SocketTimeoutError():
            # The connection was dead since something last came.
            return Interruption(cause=_one_line(error), reason=Reason.SILENT, since=Since.HEARD)
        case aiohttp.ClientError() | TimeoutError() | OSError():
            return Interruption(cause=_one_line(error), reason=Reason.BROKEN)
    # Nobody can tell which object it was: until all is listed again, the gap stays open.
    return Interruption(cause=f"an answer cannot be read: {error}", reason=Reason.UNREADABLE, relist=True)


def refusal_of(answer: Answer) -> Interruption:
    """What follows from a watch or a list that the server refused."""
    reason = Reason.EXPIRED if answer.status == GONE else Reason.REFUSED
    retry_seconds = min(answer.retry_seconds, LONGEST_RETRY_SECONDS)
    return Interruption(cause=answer.message, reason=reason, relist=answer.status == GONE, retry_seconds=retry_seconds)


def status_of_error(path: str, raw: Object | Unreadable, now: Micros) -> Answer:
    """The Status in an ERROR event as an answer."""
    if isinstance(raw, Unreadable):
        return Answer(path=path, status=0, body=None, error=raw.reason, sent_us=now, at_us=now)
    code = raw.get("code")
    return Answer(path=path, status=code if isinstance(code, int) else 0, body=raw, error="", sent_us=now, at_us=now)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or "the connection broke"
