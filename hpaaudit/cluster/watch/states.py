"""The states of a reflector, and how far it has come with its collection.

    Listing ──► Connecting ──► Watching ──► BackingOff ──► Listing or Connecting
                    │              ▲
                    └► Streaming ──┘          (the server streams the initial state: WatchList)

A watch that the server ends in due time goes from Watching straight to Connecting. Every state may fail into
BackingOff.
"""

from dataclasses import dataclass

from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True)
class Listing:
    """Reads the whole collection page by page."""


@dataclass(frozen=True, slots=True)
class Connecting:
    """Has requested a watch that the server did not answer yet."""


@dataclass(frozen=True, slots=True)
class Streaming:
    """Receives the initial state in the stream of the watch."""


@dataclass(slots=True)
class Watching:
    """Receives changes since `since`, in seconds of the event loop.

    events       how many events and bookmarks came
    is_current   the staleness check confirmed that the watch delivered everything
    """

    since: float
    events: int = 0
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class BackingOff:
    """Waits before the next attempt, because of this."""

    cause: str


State = Listing | Connecting | Streaming | Watching | BackingOff


NEVER = Micros(0)


@dataclass(slots=True)
class Progress:
    """How far a reflector has come.

    resource_version   of the newest change; empty while the collection has to be read as a whole
    object_count       how many objects there are
    advanced           the current watch delivered something newer than what was known when it began
    heard_us           when an object or a bookmark last came; a blank line does not count
    current_us         until when every change is known to have come: a list, a bookmark, a watch that ended when due
    """

    resource_version: str = ""
    object_count: int = 0
    advanced: bool = False
    heard_us: Micros = NEVER
    current_us: Micros = NEVER

    def advance(self, version: str, *, is_bookmark: bool) -> bool:
        """Takes the resource version of an event. True if it is newer than what was known."""
        before, after = version_number(self.resource_version), version_number(version)
        is_newer = version != self.resource_version and (before is None or after is None or after > before)
        if is_newer:
            self.advanced = True
            # A bookmark that repeats the version may come from a watch cache that stands still.
            if is_bookmark and version:
                self.current_us = self.heard_us
        self.resource_version = version or self.resource_version
        return is_newer


def version_number(version: object) -> int | None:
    """A resource version as a number, None if it is not one of 64 bits. Those of one collection are ordered."""
    is_number = isinstance(version, str) and version.isascii() and version.isdecimal() and len(version) < 20  # noqa: PLR2004  # digits of 2**64
    return int(str(version)) if is_number else None
