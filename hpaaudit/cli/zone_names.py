"""Finds the zone that the user names, or that of this machine."""

import io
import re
import struct
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_OF_THIS_MACHINE = Path("/etc/localtime")
_HAS_SUMMER_TIME = re.compile(r"\d([A-Za-z]{3,}|<[^>]+>)")
_USUAL_DAYS = ",M3.2.0,M11.1.0"
"""When summer time begins and ends where a rule does not say it, as in the C library."""


def zone_named(name: str) -> tzinfo:
    """The zone of a name such as `Europe/Berlin`, or of a rule such as `CET-1CEST`; `local` is that of this machine.

    Raises ValueError for a zone that is not known here.
    """
    if name.upper() in ("UTC", "Z"):
        return UTC
    if name == "local":
        if not _OF_THIS_MACHINE.exists():
            return UTC
        with _OF_THIS_MACHINE.open("rb") as file:
            return ZoneInfo.from_file(file)
    plain = name.removeprefix(":")
    try:
        return ZoneInfo(plain)
    except (OSError, KeyError, ValueError) as error:
        try:
            return _by_rule(plain)
        except (ValueError, UnicodeEncodeError):
            why = f"there is no zone {name!r} here: give one such as Europe/Berlin, local or UTC"
            raise ValueError(why) from error


def _by_rule(rule: str) -> tzinfo:
    """The zone of a rule as POSIX defines them for `TZ`: a zone file (RFC 8536) without transitions ends with one."""
    if not rule or "\n" in rule:
        raise ValueError(rule)
    if "," not in rule and _HAS_SUMMER_TIME.search(rule):
        rule += _USUAL_DAYS
    header = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, 0, 1, 1)
    one_type = struct.pack(">lbbc", 0, 0, 0, b"\0")
    return ZoneInfo.from_file(io.BytesIO((header + one_type) * 2 + b"\n" + rule.encode("ascii") + b"\n"))
