"""Finds the zone that the user names, or that of this machine."""

import io
import os
import re
import struct
from datetime import UTC, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_OF_THIS_MACHINE = Path("/etc/localtime")
_OFFSET = re.compile(r"([+-])(\d\d?)(?::?([0-5]\d))?")
_HAS_SUMMER_TIME = re.compile(r"\d([A-Za-z]{3,}|<[^>]+>)")
_USUAL_DAYS = ",M3.2.0,M11.1.0"
"""When summer time begins and ends where a rule does not say it, as in the C library."""


def zone_named(name: str) -> tzinfo:
    """The zone of a name such as `Europe/Berlin`, or of a rule such as `CET-1CEST`; `local` is that of this machine.

    `+02:00` is always so far ahead of UTC, as in RFC 3339. In a rule the sign is the other way round: `UTC-2`.

    Raises ValueError for a zone that is not known here.
    """
    if name.upper() in ("UTC", "Z"):
        return UTC
    if name in ("local", f":{_OF_THIS_MACHINE}", str(_OF_THIS_MACHINE)):
        if not _OF_THIS_MACHINE.exists():
            return UTC
        with _OF_THIS_MACHINE.open("rb") as file:
            return ZoneInfo.from_file(file)
    if offset := _OFFSET.fullmatch(name):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if ahead >= timedelta(days=1):
            raise ValueError(f"{name} is a day or more from UTC")
        return timezone(-ahead if offset[1] == "-" else ahead)
    plain = name.removeprefix(":").removeprefix("/usr/share/zoneinfo/")
    try:
        return ZoneInfo(plain)
    except (OSError, KeyError, ValueError) as error:
        try:
            return _by_rule(plain)
        except (ValueError, UnicodeEncodeError):
            why = f"there is no zone {name!r} here: give one such as Europe/Berlin, +02:00, local or UTC"
            raise ValueError(why) from error


def zone_of_environment() -> tzinfo:
    """The zone that the variable `TZ` names, UTC without one. Raises ValueError for one that is not known here."""
    name = os.environ.get("TZ")
    return zone_named(name) if name else UTC


def _by_rule(rule: str) -> tzinfo:
    """The zone of a rule as POSIX defines them for `TZ`: a zone file (RFC 8536) without transitions ends with one."""
    if not rule or "\n" in rule:
        raise ValueError(rule)
    if "," not in rule and _HAS_SUMMER_TIME.search(rule):
        rule += _USUAL_DAYS
    header = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, 0, 1, 1)
    one_type = struct.pack(">lbbc", 0, 0, 0, b"\0")
    return ZoneInfo.from_file(io.BytesIO((header + one_type) * 2 + b"\n" + rule.encode("ascii") + b"\n"))
