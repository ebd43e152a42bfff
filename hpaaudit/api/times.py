"""Kubernetes' time texts (RFC 3339, Go durations) to whole microseconds and back."""

import re
from datetime import UTC, datetime
from functools import lru_cache

from hpaaudit.model.units import SECOND, Micros

_RFC3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_UNIT_NANOS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_LONGEST_US = 2**63 // 1000  # Go's durations are nanoseconds in 64 bits
_LONGEST_CHARS = 100
"""No time or duration that anybody writes is longer: what is remembered of them stays small."""
_DAY = 24 * 3600
_FIRST, _LAST = -62_135_596_800, 253_402_300_799
"""The seconds of years 1 to 9999, of which RFC 3339 can speak."""


@lru_cache(maxsize=8192)
def micros(text: str) -> Micros:
    """RFC 3339 with any offset, cut (not rounded) to microseconds; ValueError otherwise."""
    match = _RFC3339.fullmatch(text) if len(text) <= _LONGEST_CHARS else None
    if match is None:
        raise ValueError(f"{text[:_LONGEST_CHARS]!r} is not an RFC 3339 time")
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    # A leap second is the last microsecond-less second of its minute for everybody else.
    leap = second == "60"
    whole = datetime(int(year), int(month), int(day), int(hour), int(minute), 59 if leap else int(second), tzinfo=UTC)
    seconds = int((whole - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) + leap
    if zone not in "Zz":
        offset = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        if offset > _DAY:
            raise ValueError(f"{text!r} has an offset that is longer than a day")
        seconds -= offset if zone[0] == "+" else -offset
    if not _FIRST <= seconds <= _LAST:  # also a leap second at the end of the year 9999
        raise ValueError(f"{text!r} is beyond the years 1 to 9999")
    return Micros(seconds * SECOND + int((fraction or "0")[:6].ljust(6, "0")))


def maybe_micros(text: str | None) -> Micros | None:
    """A time that may be absent: null, empty and Go's zero time are None."""
    if not text or text.startswith("0001-01-01"):
        return None
    return micros(text)


def whole_seconds(at_us: Micros) -> str:
    """RFC 3339 in UTC without a fraction, cut, as `metav1.Time` is served."""
    # Not strftime: its years before 1000 have fewer than four digits here.
    return datetime.fromtimestamp(at_us // SECOND, tz=UTC).replace(tzinfo=None).isoformat() + "Z"


def precise(at_us: Micros) -> str:
    """RFC 3339 in UTC with as many digits as the time has, at most six."""
    fraction = f"{at_us % SECOND:06d}".rstrip("0")
    return whole_seconds(at_us).removesuffix("Z") + (f".{fraction}" if fraction else "") + "Z"


@lru_cache(maxsize=4096)
def duration(text: str) -> Micros:
    """A Go duration such as `1m0.5s`, cut to microseconds; ValueError otherwise."""
    if text == "0":
        return Micros(0)
    if len(text) > _LONGEST_CHARS:
        raise ValueError(f"{text[:_LONGEST_CHARS]!r} is too long for a duration")
    sign, rest = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    nanos, end = 0, 0
    for match in _PART.finditer(rest):
        if match.start() != end:
            break
        whole, _, fraction = match[1].partition(".")
        unit = _UNIT_NANOS[match[2]]
        nanos += int(whole or "0") * unit + int(fraction or "0") * unit // 10 ** len(fraction)
        end = match.end()
    if not rest or end != len(rest):
        raise ValueError(f"{text!r} is not a duration such as 15s or 5m0s")
    return Micros(sign * (nanos // 1000))


def bounded(window_us: Micros) -> Micros:
    """A window that fits into 64 bits, as Go's; ValueError for one that an adapter made up."""
    if abs(window_us) > _LONGEST_US:
        raise ValueError(f"a window of {window_us // SECOND} seconds is longer than any")
    return window_us
