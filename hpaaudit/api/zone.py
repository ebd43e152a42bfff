"""The zone in which people read and write times: UTC, unless they ask for another one."""

from bisect import bisect_left
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo

from hpaaudit.model.units import SECOND, Micros

_DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_IN_USE: ContextVar[tzinfo] = ContextVar("zone", default=UTC)


def use_zone(zone: tzinfo) -> None:
    """Lets times be read and written in this zone from now on."""
    _IN_USE.set(zone)


def zone_in_use() -> tzinfo:
    """The zone in which times are read and written."""
    return _IN_USE.get()


def in_zone(at_us: Micros) -> str:
    """RFC 3339 without a fraction, cut, in the zone that is in use: `…T14:05:19Z`, `…T15:05:19+01:00`."""
    local = (_EPOCH + timedelta(seconds=at_us // SECOND)).astimezone(zone_in_use())
    return local.isoformat(timespec="seconds").replace("+00:00", "Z")


def offset_us(at_us: int) -> int:
    """How far the zone that is in use is ahead of UTC then."""
    ahead = (_EPOCH + timedelta(seconds=at_us // SECOND)).astimezone(zone_in_use()).utcoffset() or timedelta(0)
    return round(ahead / timedelta(microseconds=1))


def offsets_us(first_us: int, last_us: int) -> list[tuple[int, int]]:
    """The same over a span of time: from each instant on, how far the zone is ahead of UTC; the first is `first_us`.

    Looked at once a day: no zone changes twice within one.
    """
    found = [(first_us, offset_us(first_us))]
    low = first_us
    while zone_in_use() != UTC and low < last_us:
        high = min(low + _DAY, last_us)
        if offset_us(high) != found[-1][1]:
            changed = bisect_left(range(low, high), 1, key=lambda at_us: offset_us(at_us) != found[-1][1])
            found.append((low + changed, offset_us(high)))
        low = high
    return found


def micros_of(local: datetime) -> Micros:
    """The instant of a time that has its zone."""
    return Micros((local - _EPOCH) // timedelta(microseconds=1))
